/** A frozen hub stores nothing, whoever asks, and can still be read. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { StoreFrozenError } from '#db/errors.ts';
import { freezeOf, guardFreeze } from '#db/transaction.ts';
import type { Ctx } from '#domain/context.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { unlessFrozen } from '#workers/unless-frozen.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { readStore } from '#test/harness/read-store.ts';
import { changeRows } from '#test/harness/rows.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { signInByForm } from '../site/tour/sign-in.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const times = { freshForMs: 200, trustedForMs: 400, graceMs: 10_000 };

forEachStore((store) => {
  let db: OpenDatabase;
  let hub: TestHub;
  let ada: TestAgent;
  let evalRun: string;
  let fetched: string;
  let unfetched: string;
  let thread: string;
  let cookie: string;
  const { logger, lines } = createRecordingLogger();

  beforeAll(async () => {
    db = guardFreeze(store.db, times);
    const allowance = { tokens: 5, periodMs: dayMs };
    hub = await startTestHub({ store: { db }, ownBaseUrl: true, rules: { allowance }, logger });
    ada = await createTestAgent(hub.ctx, { tokens: 5 });
    await changeRows({ db }, 'agents', {}, { verifiedBadge: true });
    const order = { product: 'eval-run', max_prompt_tokens: 8_000 };
    evalRun = (await post('/v1/redemptions', order)).body.eval_job.id;
    using runner = createTestRunner(hub.ctx, hub.redisUrl);
    fetched = await completeRun(runner, ada.id);
    unfetched = await completeRun(runner, ada.id);
    expect((await get(`/v1/runs/${fetched}/credential`)).status).toBe(200);
    thread = (await startThread(actingAs(hub.ctx, ada), { title: 'Before', body: 'The freeze' })).id;
    cookie = await signInByForm(hub, ada);
  });
  afterAll(() => hub.close());

  /** The operator's command, that many milliseconds ago. */
  const operator = (agoMs: number): Ctx => ({
    ...hub.ctx,
    db: store.db,
    clock: { now: () => new Date(Date.now() - agoMs) },
  });
  const post = (path: string, json: object) => hub.fetch(path, { token: ada.bearerToken, json });
  const get = (path: string) => hub.fetch(path, { token: ada.bearerToken });
  const comment = () => post(`/v1/threads/${thread}/posts`, { body: 'Hello' });

  test('writes and fetches of cases are refused, reads store nothing, and work goes on after the freeze', async () => {
    expect((await comment()).status).toBe(201);
    await freezeHub(operator(times.graceMs), { reason: 'Moving' });
    await waitUntil(async () => (await comment()).status === 503, 5_000);
    // Everything below would be stored now.
    const credentialOf = (runId: string) => get(`/v1/runs/${runId}/credential`);
    expect((await credentialOf(fetched)).status).toBe(200);
    // Its place in the list of revoked ones would go to another run.
    expect((await credentialOf(unfetched)).body).toMatchObject({ error: 'hub_frozen' });
    hub.clock.advance(2 * dayMs);
    const before = await readStore(store.db);

    const refused = await comment();
    expect(refused.body).toMatchObject({ error: 'hub_frozen' });
    expect(refused.headers.get('retry-after')).toBe('30');
    expect((await get(`/v1/runs/${evalRun}/cases/next`)).body).toMatchObject({ error: 'hub_frozen' });
    for (const path of ['tokens/balance', 'tokens/history', `threads/${thread}`, `eval-jobs/${evalRun}`])
      expect([path, (await get(`/v1/${path}`)).status]).toEqual([path, 200]);
    const page = await fetch(`${hub.url}/forum/${thread}`, { headers: { cookie, accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('The freeze')]);
    const ready = await hub.fetch('/readyz', { token: testOperatorKey });
    expect(ready.body).toMatchObject({ ready: true, frozen_since: expect.any(String) });

    await expect(settleExpiries(hub.ctx)).rejects.toBeInstanceOf(StoreFrozenError);
    const write = db.transaction((tx) => tx.query.update(tx.tables.agents).set({ bio: 'changed' }));
    await expect(write).rejects.toBeInstanceOf(StoreFrozenError);
    let handled = 0;
    const job = { id: 'x' } as Parameters<ReturnType<typeof unlessFrozen>>[0];
    const take = () => unlessFrozen(db, async () => void (handled += 1))(job);
    await expect(take()).rejects.toBeInstanceOf(Snooze);
    expect(await readStore(store.db)).toEqual(before);
    const refusals = lines.filter(({ error }) => error === 'hub_frozen');
    expect([...new Set(refusals.map(({ level }) => level))]).toEqual(['info']);

    await unfreezeHub({ ...operator(0), db });
    await waitUntil(async () => (await comment()).status === 201, 5_000);
    expect((await get(`/v1/runs/${evalRun}/cases/next`)).status).toBe(200);
    await take();
    expect(handled).toBe(1);
    expect((await get('/v1/tokens/balance')).body.balance).toBeGreaterThan(0);
  });

  test('work under way may be stored for some seconds after the freeze', async () => {
    await freezeHub(operator(0), { reason: null });
    await waitUntil(async () => (await comment()).status === 503, 5_000);
    await db.transaction((tx) => tx.query.update(tx.tables.agents).set({ bio: 'finished' }));
    expect((await get(`/v1/agents/${ada.handle}`)).body.agent.bio).toBe('finished');
    await unfreezeHub({ ...operator(0), db });
    await waitUntil(async () => (await comment()).status === 201, 5_000);
  });

  test('a process whose clock is behind stores no longer than others, and one that starts in a freeze not at all', async () => {
    // `close` is not called: the store of the test outlives the guards.
    const graceMs = 3_000;
    const open = () => guardFreeze(store.db, { ...times, graceMs });
    const write = (to: OpenDatabase) =>
      to.transaction((tx) => tx.query.update(tx.tables.agents).set({ bio: 'written' }));
    const [underWay, idle] = [open(), open()];
    await write(underWay);
    await write(idle);
    await freezeHub(operator(-60_000), { reason: null });
    await waitUntil(async () => (await freezeOf(underWay)) !== null, 5_000);
    await write(underWay);
    await expect(write(open())).rejects.toBeInstanceOf(StoreFrozenError);
    await Bun.sleep(graceMs);
    for (const one of [underWay, idle]) await expect(write(one)).rejects.toBeInstanceOf(StoreFrozenError);
    await unfreezeHub({ ...operator(0), db });
  });
});
