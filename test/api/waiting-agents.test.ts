/**
 * Many agents that wait for cases cost the store nothing. `npm run bench -- --only waiters` measures a thousand of
 * them.
 */
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createCrowd } from '#test/harness/crowd.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';

/** Bun's client opens at most 256 connections. */
const waiters = 100;
const quietMs = 500;

let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

test('waiting agents cause no statements until something happens in their own run', async () => {
  const agents = await createCrowd(hub.ctx, waiters, 2);
  const ids = await startWaitingRuns(hub.ctx, agents);
  const over = new AbortController();
  let ended = 0;
  const before = statementsOnSqlite();
  const waiting = agents.map(async ({ bearerToken }, index) => {
    const response = await fetch(`${hub.url}/v1/runs/${ids[index]}/cases/next?wait=25`, {
      headers: { authorization: `Bearer ${bearerToken}` },
      signal: over.signal,
    });
    ended += 1;
    return response.json();
  });
  const [first] = waiting;
  const all = Promise.allSettled(waiting);
  // Each request reads its run once; the lookups of tokens share statements.
  await waitUntil(async () => statementsOnSqlite() - before >= waiters);
  const quiet = await untilQuiet();
  expect(ended).toBe(0);
  await hub.fetch(`/v1/runs/${ids[0]}/cancel`, { token: agents[0]!.bearerToken, json: {} });
  expect(await first).toEqual({ cases: [], remaining: 0, ended: true });
  expect((await untilQuiet()) - quiet).toBeWithin(1, waiters);
  expect(ended).toBe(1);
  over.abort();
  await all;
});

/** @returns the number of statements once no more are sent */
async function untilQuiet(): Promise<number> {
  for (let count = statementsOnSqlite(); ;) {
    await Bun.sleep(quietMs);
    const now = statementsOnSqlite();
    if (now === count) return now;
    count = now;
  }
}
