import { startActorWorker } from '#actors/actor-worker.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';

export async function startSeats(deps: PoolDeps): Promise<RunningPool> {
  return startActorWorker({ ...deps, types: [seatActor] });
}
