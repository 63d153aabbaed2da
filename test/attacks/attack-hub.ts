/** The hub that the tests attack: its own Redis, and processes as operators start them. */
import { afterAll, beforeAll } from 'bun:test';
import { systemClock } from '#runtime/clock.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import type { TestStore } from '#test/harness/stores.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import type { AttackedHub } from './attacked-hub.ts';

export interface WatchedHub extends AttackedHub {
  startPool(pool: Parameters<AttackedHub['startPool']>[0]): Promise<WorkerProcess>;
}

/** Starts and stops with the group of tests. @returns the hub, inside tests */
export function attackHub(store: Pick<TestStore, 'db' | 'setting'>): () => WatchedHub {
  const running: { end(signal: 'SIGKILL'): Promise<unknown> }[] = [];
  let transport: Transport;
  beforeAll(async () => {
    transport = await startTransport();
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.end('SIGKILL')));
    await transport.stop();
  });
  return () => {
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    const ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    return {
      ctx,
      startPool: async (pool) => {
        const settings = { EVAL_CALL_TIMEOUT_MS: '30000', CONTACT_TO: 'team@hub.example' };
        const worker = await startWorkerProcess([pool], stores, settings);
        running.push(worker);
        return worker;
      },
      startApi: async () => {
        const api = await startApiProcess(stores, { CONTACT_TO: 'team@hub.example' });
        running.push(api);
        return api.url;
      },
    };
  };
}
