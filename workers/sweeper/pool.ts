import type { Pool } from '../pool.ts';

export const sweeper = {
  name: 'sweeper',
  about: 'settles expiries, republishes forgotten jobs, ends overdue runs, makes backups, deletes old rows',
  concurrency: 1,
  processesMax: null,
  requires: null,
  secrets: [],
  load: async () => (await import('./start-sweeper.ts')).startSweeper,
} as const satisfies Pool;
