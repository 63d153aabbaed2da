/** Runs a program in a process of its own that takes its task and writes its outcome as JSON. */
import { expect } from 'bun:test';

/**
 * @param program the path of a file
 * @throws if it exits with an error or writes to standard error
 */
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
  // The caller and the program share the type of the outcome.
  return JSON.parse(said) as Outcome;
}
