/**
 * Turns this process into one of the programs of the hub. Each program is a module that runs when it is
 * loaded.
 */
import { startOrExplain } from '#runtime/process/start-error.ts';
import { adoptSettings } from './find-settings.ts';

const programs = {
  start: () => import('./start.ts'),
  demo: () => import('./demo.ts'),
  migrate: () => import('./check-stores.ts'),
  api: () => import('../api/main.ts'),
  worker: () => import('../workers/main.ts'),
  // Those of child processes; see runtime/place/child-program.ts.
  place: () => import('#domain/place/place-program.ts'),
  backup: () => import('#domain/backups/backup-program.ts'),
} as const;

export type RunnableProgram = keyof typeof programs;

export function isHubProgram(name: string): name is RunnableProgram {
  return Object.hasOwn(programs, name);
}

/** @param words the program's arguments, passed to it as `process.argv` would be */
export async function runHubProgram(name: RunnableProgram, words: readonly string[] = []): Promise<void> {
  process.argv.splice(2, Infinity, ...words);
  // The tour runs a hub of its own, and child processes get all that they may know with their tasks.
  if (!['demo', 'place', 'backup'].includes(name)) await startOrExplain(adoptSettings);
  await programs[name]();
}
