import type { Pool } from '../pool.ts';

export const seats = {
  name: 'seats',
  about: 'runs the seat actors, which book and release the seats of events',
  concurrency: 100,
  processesMax: null,
  requires: null,
  drainTimeoutMs: 10_000,
  resources: { cpu: '250m', memory: '160Mi', memoryMax: '512Mi' },
  // `wakeQueue` in actors/wakes.ts, which is not imported here because it loads BullMQ into the supervisor.
  scaling: { queue: 'actor-wakes', waitSeconds: 5, processesMax: 6 },
  listens: null,
  load: async () => (await import('./start-seats.ts')).startSeats,
} as const satisfies Pool;
