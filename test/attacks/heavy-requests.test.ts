/**
 * Each request whose work is large, sent again and again by nine keys of one network and by ninety keys of many, against a
 * public hub as `npm start` runs it. No process ends, none exceeds the limit of `npm start`, `/v1/health` stays fast, and
 * an agent of another network gets its checks, imports and gradings. The hub was restarted by one of these requests before
 * they ran in processes of their own.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { systemClock } from '#runtime/clock.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { fromSources, startHub, type WholeHub } from '#test/harness/whole-hub.ts';
import { agentOfNetwork } from './attack-hub.ts';
import { attackSize, quantile, report } from './attack-size.ts';
import { startIdleServer, timeHealthDuring } from './health-times.ts';
import { attack, type Outcomes } from './heavy-attackers.ts';
import { type HeavyRequest, heavyPosts, heavyRequests, postsOfThread } from './heavy-requests.ts';
import { type HonestTimes, honestWorks, timeHonestDuring } from './honest-work.ts';
import { type ProcessPeak, watchMemoryDuring } from './process-memory.ts';

/** PROCESS_MEMORY_MAX_MB by default. */
const hubMemoryMb = 1_024;
/** A process may grow until it is looked at again. */
const overshootMb = 200;
/** A pause of the machine may hit one measurement. A defect shows every time. */
const measurementsMax = 3;
const { heavyMs, heavyKeys, heavyBytes, honestPauseMs } = attackSize;
/** Beside the attack itself, for the pages of an attacked hub. */
const testTimeoutMs = 300_000;
/** The full form. */
const sendsAll = attackSize.heavyRequests === Infinity;

interface Figures {
  readonly health: readonly number[];
  /** The same requests to a server that has nothing else to do. */
  readonly idle: readonly number[];
  readonly honest: HonestTimes;
  readonly peaks: ReadonlyMap<number, ProcessPeak>;
}

let whole: WholeHub;
let db: OpenDatabase;
let url: string;
let idleServer: Awaited<ReturnType<typeof startIdleServer>>;
let honest: TestAgent;
let alone: Figures;
/** Of one network, then of as many as there are keys. */
const attackers: { readonly who: string; readonly agents: TestAgent[] }[] = [];

beforeAll(async () => {
  const settings = {
    PORT: '0',
    BASE_URL: 'https://hub.example',
    TRUSTED_PROXIES: '127.0.0.0/8',
    // They would only make the attacks weaker.
    WRITES_PER_MINUTE: '0',
    READS_PER_MINUTE: '0',
  };
  whole = startHub(settings, fromSources);
  idleServer = await startIdleServer();
  await whole.until(/Agent Hub is ready/);
  url = (await whole.until(/"url":"(http[^"]+)"/))[1] ?? '';
  db = await openDatabase({ kind: 'sqlite', file: join(whole.dataDir, 'hub.sqlite') });
  const ctx = { ...createTestCtx(db), clock: systemClock };
  honest = await agentOfNetwork(ctx, 'honest');
  const addAttackers = async (who: string, count: number, networkOf: (key: number) => string) => {
    const agents: TestAgent[] = [];
    for (let key = 0; key < count; key += 1) agents.push(await agentOfNetwork(ctx, networkOf(key)));
    attackers.push({ who, agents });
  };
  await addAttackers('9 keys of one network', 9, () => 'one');
  await addAttackers(`${heavyKeys} keys of as many networks`, heavyKeys, (key) => `network-${key}`);
  await measure(() => Bun.sleep(heavyMs / 2));
  alone = await measure(() => Bun.sleep(heavyMs));
}, 120_000);

afterAll(async () => {
  idleServer.stop();
  await db.close();
  whole.hub.kill('SIGTERM');
  await whole.ended();
});

async function measure(meanwhile: () => Promise<unknown>): Promise<Figures> {
  let honestTimes: HonestTimes | undefined;
  let peaks: Figures['peaks'] | undefined;
  let health: readonly number[] = [];
  const idle = await timeHealthDuring(idleServer.url, async () => {
    health = await timeHealthDuring(url, async () => {
      honestTimes = await timeHonestDuring(url, honest.bearerToken, honestPauseMs, async () => {
        peaks = await watchMemoryDuring(whole.hub.pid, meanwhile);
      });
    });
  });
  if (honestTimes === undefined || peaks === undefined) throw new Error('Nothing was measured.');
  return { health, idle, honest: honestTimes, peaks };
}

const isPlaceProcess = (name: string): boolean => name.includes('place-program');

async function holdsAgainst(request: HeavyRequest, at: number): Promise<void> {
  const { who, agents } = attackers[at] ?? { who: '', agents: [] };
  const tokens = agents.map(({ bearerToken }) => bearerToken);
  let outcomes: Outcomes = {};
  let figures: Figures | undefined;
  for (let taken = 0; taken < measurementsMax; taken += 1) {
    figures = await measure(async () => {
      outcomes = await attack({ url, request, tokens, forMs: heavyMs });
    });
    print(request, who, figures, outcomes);
    if (isFair(figures) && isFast(figures)) break;
  }
  if (figures === undefined) return;
  const expected = ['200', '400', '413', '429', '503', 'late'];
  expect(Object.keys(outcomes).filter((outcome) => !expected.includes(outcome))).toEqual([]);
  for (const { name, peakMb } of figures.peaks.values()) {
    const isPlace = isPlaceProcess(name);
    expect([name, peakMb < (isPlace ? placeMemoryMb + overshootMb : hubMemoryMb)]).toEqual([name, true]);
  }
  // A process without a name had not begun, or had ended.
  for (const { pid, name } of alone.peaks.values())
    if (name !== '' && !isPlaceProcess(name)) expect([name, figures.peaks.has(pid)]).toEqual([name, true]);
  expect({ fair: isFair(figures), fast: isFast(figures) }).toEqual({ fair: true, fast: true });
}

/**
 * Fifty milliseconds. Where a server that does nothing takes as long at the same time, because of what else the machine
 * does, three times as much. In the short form, the responses are counted, which no busy machine changes: a process that
 * does the work of an attack itself gives one for dozens of the idle server.
 */
function isFast({ health, idle }: Figures): boolean {
  if (!sendsAll) return health.length * idlePerHealth > idle.length;
  return quantile(health, 0.99) < Math.max(healthMs, 3 * quantile(idle, 0.99));
}

const idlePerHealth = 8;
const healthMs = 50;

/**
 * At most twice the time that the same takes alone, until it is done. In the short form, nothing is refused: the tests of
 * the place count who comes first.
 */
function isFair(figures: Figures): boolean {
  if (!sendsAll) return figures.honest.refused === 0;
  return honestWorks.every(
    (work) => quantile(figures.honest[work], 0.5) <= 2 * quantile(alone.honest[work], 0.5) + graceMs,
  );
}

/** Others' work that has begun is not interrupted at once, and their machine and this one share a processor here. */
const graceMs = 100;

function print(
  { name }: HeavyRequest,
  who: string,
  { health, idle, honest: taken, peaks }: Figures,
  outcomes: Outcomes,
): void {
  const peakOf = (isPlace: boolean) =>
    Math.max(0, ...[...peaks.values()].map((one) => (isPlaceProcess(one.name) === isPlace ? one.peakMb : 0)));
  const works = honestWorks.flatMap((work) => [
    [`${work} p50`, quantile(taken[work], 0.5)],
    [`${work} alone`, quantile(alone.honest[work], 0.5)],
  ]);
  const came = Object.entries(outcomes).map(([outcome, count]) => `${outcome} × ${count}`);
  report(`${name}, ${who}, ${came.join(', ')}`, {
    'hub MB': peakOf(false),
    'place MB': peakOf(true),
    'health p99': quantile(health, 0.99),
    'idle p99': quantile(idle, 0.99),
    ...Object.fromEntries(works),
    refused: taken.refused,
  });
}

const requests = heavyRequests(heavyBytes).slice(0, attackSize.heavyRequests);
const cases = requests.flatMap((request) => [0, 1].map((at) => [request.name, at, request] as const));

test.skipIf(process.platform !== 'linux').each(cases)(
  'a hub holds against %s, sent by attackers %d',
  async (_name, at, request) => holdsAgainst(request, at),
  testTimeoutMs,
);

const pages = Object.entries(heavyPosts).flatMap(([name, posts]) =>
  [0, 1].map((at) => [name, at, posts] as const),
);
const threads = new Map<string, Promise<readonly string[]>>();

test.skipIf(process.platform !== 'linux' || !sendsAll).each(pages)(
  'a hub holds against pages of %s, opened by attackers %d',
  async (name, at, posts) => {
    if (!threads.has(name)) threads.set(name, postAll(posts));
    const paths = (await threads.get(name)) ?? [];
    await holdsAgainst({ name, paths }, at);
  },
  testTimeoutMs,
);

/** @returns the paths of the pages that show the posts */
async function postAll(posts: readonly string[]): Promise<readonly string[]> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${honest.bearerToken}` };
  const post = async (path: string, body: object): Promise<string> => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const said = await response.text();
    if (response.status !== 201) throw new Error(`${path} responded with ${response.status}: ${said}`);
    // Threads and posts have one.
    return (JSON.parse(said) as { readonly id: string }).id;
  };
  const paths: string[] = [];
  for (let from = 0; from < posts.length; from += postsOfThread) {
    const id = await post('/v1/threads', { title: `From ${from}`, body: 'All of them' });
    paths.push(`/forum/${id}`);
    for (const body of posts.slice(from, from + postsOfThread))
      await post(`/v1/threads/${id}/posts`, { body });
  }
  return paths;
}
