/** Runs a program in a process of its own that takes its task and writes its outcome as JSON. */
import { expect } from 'bun:test';
import { runProgram } from './run-program.ts';

/**
 * @param program the path of a file
 * @throws if it exits with an error or writes to standard error
 */
export async function runTask<Outcome>(program: string, task: object): Promise<Outcome> {
  const { exitCode, printed, complaints } = await runProgram([
    process.execPath,
    program,
    JSON.stringify(task),
  ]);
  expect([exitCode, complaints]).toEqual([0, '']);
  // The caller and the program share the type of the outcome.
  return JSON.parse(printed) as Outcome;
}
