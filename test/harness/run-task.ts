/** Work that a test gives to a process of its own: a program that takes its task as JSON and writes its outcome as JSON. */
import { expect } from 'bun:test';

/** @param program the path of a file; one that ends with anything but 0, or complains, has failed */
export async function runTask<Outcome>(program: string, task: object): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, program, JSON.stringify(task)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [said, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, complaint]).toEqual([0, '']);
  // Caller and program share the type of the outcome.
  return JSON.parse(said) as Outcome;
}
