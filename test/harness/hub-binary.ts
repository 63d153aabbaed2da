/**
 * The compiled hub, which starts in a third of the processor time that the sources take: most processes of a hub in tests are
 * its, and the others run from the sources.
 */
import { join } from 'node:path';
import type { RunnableProgram } from '#cli/run-hub-program.ts';
import { shareOfRun } from './run-share.ts';

/** Its path: what `TEST_HUB_BINARY` names, or that of the one which the test run has built. */
export const hubBinary =
  process.env['TEST_HUB_BINARY'] ||
  (await shareOfRun('binary', join(import.meta.dir, 'children', 'keep-binary.ts')));

/** The command that starts a program of the hub. */
export function hubProgram(program: RunnableProgram, ...words: readonly string[]): string[] {
  return [hubBinary, program, ...words];
}
