/**
 * Builds the command that starts a program of the hub as its own process, from its sources or from the
 * compiled binary.
 */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

/** The programs of a hub and their files. The compiled binary contains all of them, by name. */
const programFiles = {
  start: join('cli', 'start.ts'),
  migrate: join('cli', 'check-stores.ts'),
  api: join('api', 'main.ts'),
  worker: join('workers', 'main.ts'),
} as const;

export type HubProgram = keyof typeof programFiles;

/** @returns the arguments after `process.execPath` (Bun or the binary) */
export function programWords(program: HubProgram, words: readonly string[] = []): readonly string[] {
  const named = Bun.isStandaloneExecutable ? program : join(projectFolder, programFiles[program]);
  return [named, ...words];
}
