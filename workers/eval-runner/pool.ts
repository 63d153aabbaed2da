import type { Pool } from '../pool.ts';

export const evalRunner = {
  name: 'eval-runner',
  about: 'runs evaluations against their targets and settles the charge',
  // Runs spend most of their time waiting for the target, and waiting costs little.
  concurrency: 400,
  processesMax: null,
  requires: null,
  secrets: ['SECRET_KEY'],
  load: async () => (await import('./start-eval-runner.ts')).startEvalRunner,
} as const satisfies Pool;
