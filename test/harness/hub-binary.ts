/**
 * The compiled hub. It starts with a third of the processor time that the sources need, so most hub processes
 * in tests run from it.
 */
import { join } from 'node:path';
import type { RunnableProgram } from '#cli/run-hub-program.ts';
import { shareOfRun } from './run-share.ts';

/** The path in `TEST_HUB_BINARY`, or of the binary that this test run has built. */
export const hubBinary =
  process.env['TEST_HUB_BINARY'] ||
  (await shareOfRun('binary', join(import.meta.dir, 'children', 'keep-binary.ts')));

export function hubProgram(program: RunnableProgram, ...words: readonly string[]): string[] {
  return [hubBinary, program, ...words];
}
