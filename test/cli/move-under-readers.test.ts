/** A frozen hub is read over HTTP while `hub move` copies it, and a hub on the copy goes on with its runs. */
import { afterAll, expect, test } from 'bun:test';
import type { DatabaseSetting } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { freezeHub } from '#domain/freeze/freeze-hub.ts';
import { type FilledHub, fillHub } from '#test/db/move/fill-hub.ts';
import { usePlaces } from '#test/db/use-places.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { readStore } from '#test/harness/read-store.ts';
import { rowOf } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { declaredPages } from '#test/site/tour/find-stops.ts';

const readersCount = 6;
/** A read waits for no part of a move. */
const slowestMsMax = 5_000;
/** Enough rows for a second of moving. */
const crowdSize = 1_000;

const target = startTarget(() => 'hello');
afterAll(() => target.stop());
const place = usePlaces();

/** A frozen hub with open work of every kind. It was frozen a minute ago, so that no command waits. */
async function frozenHub(dialect: Dialect): Promise<{ setting: DatabaseSetting; filled: FilledHub }> {
  const setting = await place(dialect);
  const db = await openDatabase(setting);
  const ctx = createTestCtx(db);
  const filled = await fillHub(ctx, target.url);
  await createCrowd(ctx, crowdSize, 1);
  // `fillHub` plants one that stands for no run, which would stop the move.
  await db.transaction((tx) => tx.query.delete(tx.tables.leaderboardEntries));
  const clock = { now: () => new Date(Date.now() - 60_000) };
  await freezeHub({ ...ctx, clock }, { reason: 'Moving' });
  await db.close();
  return { setting, filled };
}

/** Every row, once the audit has found it sound. */
async function contentsOf(setting: DatabaseSetting) {
  const db = await openExistingDatabase(setting);
  expect((await auditHub({ db })).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  const contents = await readStore(db);
  await db.close();
  return contents;
}

async function start(setting: DatabaseSetting) {
  const whole = startHub({
    PORT: '0',
    BASE_URL: 'http://localhost:4000',
    DATABASE_URL: databaseUrlOf(setting),
    SECRET_KEY: testSecretKey,
    EVAL_ALLOWED_TARGETS: 'loopback',
    READS_PER_MINUTE: '1000000',
    WRITES_PER_MINUTE: '1000000',
  });
  const [, url = ''] = await whole.until(/"url":"([^"]+)"/);
  await whole.until(/Agent Hub is ready/);
  return { url, stop: whole.stop };
}

/** Paths that are read, and what a frozen hub refuses. */
function requestsOf({ runs }: FilledHub) {
  const products = {
    'eval-jobs': [runs.pulledEval],
    runs: [runs.pulledEval, runs.pulledAgent, runs.pulledSuite],
  };
  const views = Object.entries(products).flatMap(([name, ids]) => ids.map((id) => `/v1/${name}/${id}`));
  const lists = 'agents threads skills suites events work-orders leaderboard hub eval-suite'.split(' ');
  const own = 'agents/me agents/me/tokens tokens/balance tokens/history webhooks notifications'.split(' ');
  const pages = declaredPages.filter(({ path, access }) => !path.includes(':') && access === 'public');
  return {
    reads: [
      ...views,
      ...[...lists, ...own, ...Object.keys(products)].map((name) => `/v1/${name}`),
      '/v1/agents/mover',
      '/v1/suites/@mover/greetings/versions',
      ...pages.map(({ path }) => path),
      '/agents/traced',
      '/skill.md',
    ],
    writes: [
      ['GET', `/v1/runs/${runs.pulledEval}/cases/next`],
      ['GET', `/v1/runs/${runs.pulledAgent}/cases/next`],
      ['POST', '/v1/threads', { title: 'During the move', body: 'Is it stored?' }],
      ['POST', '/v1/redemptions', { product: 'eval-run' }],
      ['POST', `/v1/runs/${runs.pulledSuite}/cancel`, {}],
    ] as const,
  };
}

test.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)(
  'from %s to %s, every read succeeds, every write is refused, and the copy goes on',
  async (from, to) => {
    const { setting, filled } = await frozenHub(from);
    const { reads, writes } = requestsOf(filled);
    const before = await contentsOf(setting);
    const destination = await place(to);
    const headers = { authorization: `Bearer ${filled.token}`, 'content-type': 'application/json' };
    const old = await start(setting);
    const read = async (path: string) => {
      const response = await fetch(old.url + path, { headers, signal: AbortSignal.timeout(slowestMsMax) });
      return { status: response.status, body: await response.text() };
    };
    const expected = new Map<string, string>();
    for (const path of reads) {
      const { status, body } = await read(path);
      expect([path, status]).toEqual([path, 200]);
      expected.set(path, body);
    }

    const over = new AbortController();
    let rounds = 0;
    const differing: unknown[] = [];
    const readOn = async (offset: number): Promise<void> => {
      for (let at = offset; !over.signal.aborted || at < reads.length; at += readersCount) {
        const path = reads[at % reads.length] ?? '';
        const { status, body } = await read(path);
        if (status !== 200 || body !== expected.get(path)) differing.push([path, status, body]);
        rounds += 1;
      }
    };
    const refusals = new Set<string>();
    const writeOn = async (): Promise<void> => {
      for (let at = 0; !over.signal.aborted || at < writes.length; at += 1) {
        const [method, path, json] = writes[at % writes.length]!;
        const body = json === undefined ? {} : { body: JSON.stringify(json) };
        const response = await fetch(old.url + path, { method, headers, ...body });
        const { error } = (await response.json()) as { error: string };
        refusals.add(`${response.status} ${error} ${response.headers.get('retry-after')}`);
      }
    };
    const others = Promise.all([
      ...Array.from({ length: readersCount }, (_, offset) => readOn(offset)),
      writeOn(),
    ]);
    const moved = await runHubCommand(['move', '--to', databaseUrlOf(destination), '--json'], {
      DATABASE_URL: databaseUrlOf(setting),
    });
    over.abort();
    await others;
    expect([moved.exitCode, moved.complaints]).toEqual([0, '']);
    expect(differing).toEqual([]);
    expect(rounds).toBeGreaterThanOrEqual(reads.length);
    expect([...refusals]).toEqual(['503 hub_frozen 30']);
    await old.stop();
    expect(await contentsOf(setting)).toEqual(before);
    // The copy is not frozen.
    const { settingChanges: _, ...rest } = before;
    expect(await contentsOf(destination)).toMatchObject(rest);

    const copy = await start(destination);
    const db = await openExistingDatabase(destination);
    for (const id of [filled.runs.pushedEval, filled.runs.pushedSuite, filled.runs.pushedAgent])
      await waitUntil(
        async () => /completed|failed/.test((await rowOf({ db }, 'runs', { id })).status),
        20_000,
      );
    await db.close();
    await copy.stop();
  },
);
