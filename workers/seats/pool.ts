import type { Pool } from '../pool.ts';

export const seats = {
  name: 'seats',
  about: 'runs the seat actors, which book and release the seats of events',
  concurrency: 100,
  processesMax: null,
  requires: null,
  secrets: [],
  load: async () => {
    const { startActorWorker } = await import('#actors/actor-worker.ts');
    const { seatActor } = await import('#actors/seat-actor.ts');
    return async (deps) => startActorWorker({ ...deps, types: [seatActor] });
  },
} as const satisfies Pool;
