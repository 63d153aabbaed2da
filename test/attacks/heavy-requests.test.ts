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
import { attackSize, quantile, report } from './attack-size.ts';
import { agentOfNetwork } from './attacked-hub.ts';
import { timeHealthDuring } from './health-times.ts';
import { type HeavyRequest, heavyRequests, wideTable } from './heavy-requests.ts';
import { type HonestTimes, timeHonestDuring } from './honest-work.ts';
import { type ProcessPeak, watchMemoryDuring } from './process-memory.ts';

/** PROCESS_MEMORY_MAX_MB by default. */
const hubMemoryMb = 1_024;
/** A process may grow until it is looked at again. */
const overshootMb = 200;
/** A pause of the machine may hit one measurement. A defect shows every time. */
const measurementsMax = 3;
const { heavyMs, heavyKeys, heavyNodesBytes } = attackSize;

interface Figures {
  readonly health: readonly number[];
  readonly honest: HonestTimes;
  readonly peaks: ReadonlyMap<number, ProcessPeak>;
}

let whole: WholeHub;
let db: OpenDatabase;
let url: string;
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
  await whole.until(/Agent Hub is ready/);
  url = (await whole.until(/"url":"(http[^"]+)"/))[1] ?? '';
  db = await openDatabase({ kind: 'sqlite', file: join(whole.dataDir, 'hub.sqlite') });
  const ctx = { ...createTestCtx(db), clock: systemClock };
  honest = await agentOfNetwork(ctx, 'honest');
  const keys = async (count: number, networkOf: (key: number) => string): Promise<TestAgent[]> => {
    const agents: TestAgent[] = [];
    for (let key = 0; key < count; key += 1) agents.push(await agentOfNetwork(ctx, networkOf(key)));
    return agents;
  };
  attackers.push({ who: '9 keys of one network', agents: await keys(9, () => 'one') });
  attackers.push({
    who: `${heavyKeys} keys of as many networks`,
    agents: await keys(heavyKeys, (key) => `network-${key}`),
  });
  await measure(() => Bun.sleep(heavyMs / 2));
  alone = await measure(() => Bun.sleep(heavyMs));
}, 120_000);

afterAll(async () => {
  await db.close();
  whole.hub.kill('SIGTERM');
  await whole.ended();
});

async function measure(attack: () => Promise<unknown>): Promise<Figures> {
  let honestTimes: HonestTimes | undefined;
  let peaks: Figures['peaks'] | undefined;
  const health = await timeHealthDuring(url, async () => {
    honestTimes = await timeHonestDuring(url, honest.bearerToken, async () => {
      peaks = await watchMemoryDuring(whole.hub.pid, attack);
    });
  });
  if (honestTimes === undefined || peaks === undefined) throw new Error('Nothing was measured.');
  return { health, honest: honestTimes, peaks };
}

const isPlaceProcess = (name: string): boolean => name.includes('place-program');

/** Every key sends the request again as soon as it has a response. */
async function attackWith(request: HeavyRequest, agents: readonly TestAgent[]): Promise<Set<number>> {
  const statuses = new Set<number>();
  const endsAt = performance.now() + heavyMs;
  const { path, type, body } = request;
  const send = async (agent: TestAgent, key: number): Promise<void> => {
    while (performance.now() < endsAt) {
      const headers = {
        'x-forwarded-for': `203.0.${113 + Math.floor(key / 250)}.${1 + (key % 250)}`,
        ...(type === undefined
          ? { accept: 'text/html' }
          : { 'content-type': type, authorization: `Bearer ${agent.bearerToken}` }),
      };
      const method = body === undefined ? 'GET' : 'POST';
      const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
      await response.arrayBuffer();
      statuses.add(response.status);
      if (response.status !== 200) await Bun.sleep(200);
    }
  };
  await Promise.all(agents.map(send));
  return statuses;
}

async function holdsAgainst(request: HeavyRequest, at: number): Promise<void> {
  const { who, agents } = attackers[at] ?? { who: '', agents: [] };
  let statuses = new Set<number>();
  let figures: Figures | undefined;
  for (let taken = 0; taken < measurementsMax; taken += 1) {
    figures = await measure(async () => (statuses = await attackWith(request, agents)));
    print(request, who, figures, statuses);
    if (isFair(figures) && isFast(figures)) break;
  }
  if (figures === undefined) return;
  expect([...statuses].filter((status) => ![200, 400, 429, 503].includes(status))).toEqual([]);
  for (const { name, peakMb } of figures.peaks.values()) {
    const isPlace = isPlaceProcess(name);
    expect([name, peakMb < (isPlace ? placeMemoryMb + overshootMb : hubMemoryMb)]).toEqual([name, true]);
  }
  for (const { pid, name } of alone.peaks.values())
    if (!isPlaceProcess(name)) expect([name, figures.peaks.has(pid)]).toEqual([name, true]);
  expect({ fair: isFair(figures), fast: isFast(figures) }).toEqual({ fair: true, fast: true });
}

/** Fifty milliseconds, or what the machine itself adds: it has the attackers as well. */
function isFast({ health }: Figures): boolean {
  return quantile(health, 0.99) < Math.max(50, 3 * quantile(alone.health, 0.99));
}

/** At most twice the time that the same takes alone. */
function isFair(figures: Figures): boolean {
  return (['check', 'import', 'grading'] as const).every(
    (work) => quantile(figures.honest[work], 0.5) <= 2 * quantile(alone.honest[work], 0.5) + graceMs,
  );
}

/** The processor of a small machine is shared with the attackers themselves. */
const graceMs = 50;

function print(
  { name }: HeavyRequest,
  who: string,
  { health, honest, peaks }: Figures,
  statuses: Set<number>,
): void {
  const peakOf = (isPlace: boolean) =>
    Math.max(
      0,
      ...peaks
        .values()
        .filter((one) => isPlaceProcess(one.name) === isPlace)
        .map(({ peakMb }) => peakMb),
    );
  report(`${name}, ${who}, ${[...statuses].toSorted((one, other) => one - other).join('/')}`, {
    'hub MB': peakOf(false),
    'place MB': peakOf(true),
    'health p99': quantile(health, 0.99),
    alone: quantile(alone.health, 0.99),
    'check p50': quantile(honest.check, 0.5),
    'check alone': quantile(alone.honest.check, 0.5),
    'import p50': quantile(honest.import, 0.5),
    'import alone': quantile(alone.honest.import, 0.5),
    'grading p50': quantile(honest.grading, 0.5),
    'grading alone': quantile(alone.honest.grading, 0.5),
  });
}

const requests = heavyRequests(heavyNodesBytes).slice(0, attackSize.heavyRequests);
const sendsAll = attackSize.heavyRequests > requests.length;
const cases = requests.flatMap((request) => [0, 1].map((at) => [request.name, at, request] as const));

test.skipIf(process.platform !== 'linux').each(cases)(
  'a hub holds against %s, sent by attackers %d',
  async (_name, at, request) => holdsAgainst(request, at),
  300_000,
);

test.skipIf(process.platform !== 'linux' || !sendsAll)(
  'a hub holds against a page of wide tables',
  async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${honest.bearerToken}` };
    const post = async (path: string, body: object) => {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      // The responses of both endpoints are objects.
      return (await response.json()) as { readonly id?: string };
    };
    const text = wideTable.slice(0, 8_000);
    const { id = '' } = await post('/v1/threads', { title: 'Wide', body: text });
    for (let index = 0; index < 49; index += 1) await post(`/v1/threads/${id}/posts`, { body: text });
    for (const at of [0, 1]) await holdsAgainst({ name: 'wide tables', path: `/forum/${id}` }, at);
  },
  300_000,
);
