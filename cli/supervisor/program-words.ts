/** How a program of the hub is started as a process of its own, from its sources or from the compiled binary. */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

/** The programs of a hub, each with the file that holds it. The compiled binary has them all, under their names. */
const programFiles = {
  start: join('cli', 'start.ts'),
  migrate: join('cli', 'check-stores.ts'),
  api: join('api', 'main.ts'),
  worker: join('workers', 'main.ts'),
} as const;

export type HubProgram = keyof typeof programFiles;

/** @returns what follows `process.execPath`, which is Bun or the binary, in the command that starts the program */
export function programWords(program: HubProgram, words: readonly string[] = []): readonly string[] {
  const named = Bun.isStandaloneExecutable ? program : join(projectFolder, programFiles[program]);
  return [named, ...words];
}
