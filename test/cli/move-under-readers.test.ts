/** A frozen hub is read over HTTP while `hub move` copies it, and a hub on the copy gives the same responses. */
import { afterAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { DatabaseSetting } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { moveStore } from '#db/move/move-store.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { freezeHub } from '#domain/freeze/freeze-hub.ts';
import { type FilledHub, fillHub } from '#test/db/move/fill-hub.ts';
import { connectModern, useTool } from '#test/doors/mcp-clients.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { readStore } from '#test/harness/read-store.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { createPlace, type StorePlace } from '#test/harness/stores.ts';
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
const places: StorePlace[] = [];
afterAll(async () => {
  await target.stop();
  await Promise.all(places.map((one) => one.remove()));
});

async function place(dialect: Dialect): Promise<DatabaseSetting> {
  const made = await createPlace(dialect);
  places.push(made);
  return made.setting;
}

/** A frozen hub with open work of every kind. It was frozen a minute ago, so that no command waits. */
async function frozenHub(dialect: Dialect): Promise<{ setting: DatabaseSetting; filled: FilledHub }> {
  const first = await place('sqlite');
  const db = await openDatabase(first);
  const filled = await fillHub(createTestCtx(db), target.url);
  await createCrowd(createTestCtx(db), crowdSize, 1);
  // `fillHub` plants one that stands for no run, which would stop the move.
  await db.transaction((tx) => tx.query.delete(tx.tables.leaderboardEntries));
  await db.close();
  const setting = dialect === 'sqlite' ? first : await place('postgres');
  if (setting !== first)
    await moveStore({ from: first, to: setting, check: async () => {}, onProgress: () => {} });
  const frozen = await openExistingDatabase(setting);
  const clock = { now: () => new Date(Date.now() - 60_000) };
  await freezeHub({ ...createTestCtx(frozen), clock }, { reason: 'Moving' });
  await frozen.close();
  return { setting, filled };
}

/** Every row, once the audit has found it sound. */
async function contentsOf(setting: DatabaseSetting) {
  const db = await openExistingDatabase(setting);
  try {
    expect((await auditHub({ db })).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    return await readStore(db);
  } finally {
    await db.close();
  }
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
  const stop = async () => {
    await whole.stop();
  };
  await whole.until(/Agent Hub is ready/);
  return { url, stop };
}

/** What changes where the hub is not frozen: open runs go on, and the last use of a token is noted. */
const changesUnfrozen = new Set(['/', '/leaderboard', '/v1/leaderboard', '/v1/agents/me/tokens']);

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

interface Read {
  readonly path: string;
  readonly status: number;
  readonly body: string;
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
    const read = async (url: string, path: string): Promise<Read> => {
      const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(slowestMsMax) });
      return { path, status: response.status, body: await response.text() };
    };

    const old = await start(setting);
    const expected = new Map<string, string>();
    for (const path of reads) {
      const { status, body } = await read(old.url, path);
      expect([path, status]).toEqual([path, 200]);
      expected.set(path, body);
    }
    const mcp = await connectModern(new URL(`${old.url}/mcp`), filled.token);
    const me = await useTool(mcp, 'get_me');

    const over = new AbortController();
    let rounds = 0;
    const differing: unknown[] = [];
    const readOn = async (offset: number): Promise<void> => {
      for (let at = offset; !over.signal.aborted || at < reads.length; at += readersCount) {
        const path = reads[at % reads.length] ?? '';
        const { status, body } = await read(old.url, path);
        if (status !== 200 || body !== expected.get(path)) differing.push([path, status, body]);
        rounds += 1;
      }
    };
    const askOn = async (): Promise<void> => {
      for (; !over.signal.aborted; rounds += 1) expect(await useTool(mcp, 'get_me')).toEqual(me);
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
      askOn(),
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
    for (const path of reads.filter((each) => !changesUnfrozen.has(each))) {
      expect(await read(copy.url, path)).toEqual({ path, status: 200, body: expected.get(path) ?? '' });
    }
    const again = await read(copy.url, `/v1/runs/${filled.runs.pulledEval}/cases/next`);
    expect([again.status, JSON.parse(again.body)]).toMatchObject([200, { cases: [{ again: true }] }]);
    for (const id of [filled.runs.pushedEval, filled.runs.pushedSuite, filled.runs.pushedAgent]) {
      await waitUntil(() => hasEnded(destination, id), 20_000);
    }
    await copy.stop();
  },
);

async function hasEnded(setting: DatabaseSetting, id: string): Promise<boolean> {
  const db = await openExistingDatabase(setting);
  const { runs } = db.tables;
  const [run] = await db.query.select({ status: runs.status }).from(runs).where(eq(runs.id, id));
  await db.close();
  return run?.status === 'completed' || run?.status === 'failed';
}
