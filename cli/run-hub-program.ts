/** Lets this process become one of the programs of the hub, each of which is a file that runs when it is loaded. */

const programs = {
  start: () => import('./start.ts'),
  demo: () => import('./demo.ts'),
  migrate: () => import('./check-stores.ts'),
  api: () => import('../api/main.ts'),
  worker: () => import('../workers/main.ts'),
} as const;

export type RunnableProgram = keyof typeof programs;

export function isHubProgram(name: string): name is RunnableProgram {
  return Object.hasOwn(programs, name);
}

/** @param words its command line, which it finds where a program finds it that was started by itself */
export async function runHubProgram(name: RunnableProgram, words: readonly string[] = []): Promise<void> {
  process.argv.splice(2, Infinity, ...words);
  await programs[name]();
}
