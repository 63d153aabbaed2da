/** Run as a separate process by `move.test.ts`: moves a store and is killed when it reaches a step. */
import type { DatabaseSetting } from '#db/database.ts';
import { moveStore, type MoveStep } from '#db/move/move-store.ts';

export interface FatalMove {
  readonly from: DatabaseSetting;
  readonly to: DatabaseSetting;
  readonly diesAt: MoveStep;
}

const { from, to, diesAt } = JSON.parse(process.argv[2]!) as FatalMove; // The test wrote it.
await moveStore({
  from,
  to,
  check: async () => undefined,
  onProgress: () => undefined,
  onStep: (step) => {
    if (step === diesAt) process.kill(process.pid, 'SIGKILL');
  },
});
