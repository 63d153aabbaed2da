/** How commands must end. */
import { expect } from 'bun:test';
import type { EndedProgram } from './run-program.ts';

/** With exit code 0 and without a complaint. */
export async function expectSuccess<Ended extends EndedProgram>(command: Promise<Ended>): Promise<Ended> {
  const ended = await command;
  expect([ended.exitCode, ended.complaints]).toEqual([0, '']);
  return ended;
}

/** With this exit code, and with these words among its complaints. */
export async function expectRefusal<Ended extends EndedProgram>(
  command: Promise<Ended>,
  exitCode: number,
  words: string | RegExp,
): Promise<Ended> {
  const ended = await command;
  const said = typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
  expect([ended.exitCode, ended.complaints]).toEqual([exitCode, said]);
  return ended;
}
