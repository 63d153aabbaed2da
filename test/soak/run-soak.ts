/**
 * Runs a hub under a mixed load and samples it. At the end, waits until all accepted work is done, audits the hub, and
 * checks that everything it acknowledged is in the store.
 */
import { expect } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import { type ClientGroup, startClients } from '#test/workload/clients.ts';
import { expectAtRest, expectDelivered, expectMailed } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { type HubUnderTest, startHubUnderTest } from '#test/workload/hub-under-test.ts';
import { startPlayers } from '#test/workload/players.ts';
import { request } from '#test/workload/request.ts';
import { createWitness, type Witness } from '#test/workload/witness.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { judgedFromMs, judgeGrowthOf, judgeRest, type Verdict } from './judge/judge-soak.ts';
import { createSampler, type Sampler, type SoakSample, type WatchedProcess } from './measure/sampler.ts';

interface SoakOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  readonly durationMs: number;
  /** Receives the samples, one line of JSON each. */
  readonly file: string;
  readonly onProgress: (line: string) => void;
}

type WorkerPlan = readonly (readonly [name: string, ...pools: PoolName[]])[];

/** A long soak watches each pool on its own. */
const workersOfLong: WorkerPlan = [
  ['eval-runner 1', 'eval-runner'],
  ['eval-runner 2', 'eval-runner'],
  ['mail', 'mail'],
  ['seats', 'seats'],
  ['webhooks', 'webhooks'],
  ['sweeper', 'sweeper'],
];
const workersOfBrief: WorkerPlan = [
  ['eval-runner', 'eval-runner'],
  ['others', 'mail', 'seats', 'webhooks', 'sweeper'],
];
/** About 30 requests a second, beside the readers and the players. */
const clientGroups: readonly ClientGroup[] = [
  { mix: 'seats', count: 4, pauseMs: 250, waitingMax: 4 },
  { mix: 'offices', count: 1, pauseMs: 1_000 },
  { mix: 'runs', count: 1, pauseMs: 3_000, waitingMax: 4 },
  { mix: 'writes', count: 4, pauseMs: 300, waitingMax: 4 },
];
const readPaths = ['/', '/forum', '/agents', '/v1/threads', '/v1/agents', '/v1/events', '/v1/skills'];
const readEveryMs = 100;
/** Twice a minute in a long run, more often in a short one. */
const sampleEveryMs = { least: 1_000, most: 30_000 };
const samplesWanted = 120;
/** One sample in this many follows a garbage collection; the others show the hub undisturbed. */
const collectedEvery = 4;
const progressEveryMs = 60_000;
const responseMaxMs = 30_000;
/** For the last requests. */
const lastResponsesMs = 10_000;
/** An email whose worker died waits 35 seconds. */
const restMaxMs = 120_000;
const restPollMs = 500;
/** Refusals when runs pile up. */
const refusals = ['too_many_open_jobs'];

/** Rejects only if the soak cannot be run. */
export async function runSoak(options: SoakOptions): Promise<readonly Verdict[]> {
  const plan = options.durationMs < judgedFromMs ? workersOfBrief : workersOfLong;
  const hub = await startHubUnderTest({
    dialect: options.dialect,
    population: { eventCount: 3, officeCount: 2, playerCount: 2 },
    workers: plan.map(([, ...pools]) => pools),
    preload: 'collect-garbage',
    settings: { OPERATOR_KEY: everythingConfigured.operatorKey },
  });
  const sampler = createSampler(await watchedProcesses(hub, plan), hub.stores.redisUrl, hub.store.setting);
  try {
    return await soak(hub, sampler, options);
  } finally {
    await sampler.close();
    await hub.stop();
  }
}

async function watchedProcesses(
  { url, api, workers, stores }: HubUnderTest,
  plan: WorkerPlan,
): Promise<WatchedProcess[]> {
  return [
    { name: 'api', pid: api.pid, metricsUrl: `${url}/metrics` },
    ...plan.map(([name], index) => {
      const { pid, operatorUrl } = workers[index]!;
      return { name, pid, metricsUrl: `${operatorUrl}/metrics` };
    }),
    { name: 'redis', pid: await redisPidOf(stores.redisUrl), metricsUrl: null },
  ];
}

async function soak(hub: HubUnderTest, sampler: Sampler, options: SoakOptions): Promise<Verdict[]> {
  const { store, population } = hub;
  const { db } = store;
  const urls = [hub.url];
  const witness = createWitness(responseMaxMs);
  const clients = startClients({ urls, groups: clientGroups, seed: options.seed, population, witness });
  const players = startPlayers({ db, urls, agents: population.players, pauseMs: 1_000, witness });
  const endReaders = startReaders(hub.url, witness);
  let samples: readonly SoakSample[] = [];
  try {
    samples = await sampleUntilOver(sampler, witness, options);
  } finally {
    await Promise.all([endReaders(), clients.end(lastResponsesMs)]);
  }
  return [
    await tried('runs in pull mode', 'every answer of an agent is in its run', () => players.end()),
    verdict('responses', 'documented, in time, and refused only by rules', witness.unexpected(refusals)),
    ...judgeGrowthOf(samples),
    ...(await judgeAtRest(hub, sampler, options.file)),
    await tried('kept', `all ${witness.outcomes.length} outcomes are in the store, once`, () =>
      expectKept(db, witness.outcomes),
    ),
    await tried('delivered', 'every notification was delivered to its webhooks, once', () =>
      expectDelivered(db, population.receiver),
    ),
    await tried('mail', 'every email was sent, once', () =>
      expectMailed(db, join(population.dataDir, 'mail')),
    ),
    await audit(hub),
  ];
}

/** Reads pages and lists in turn. @returns a function that ends it */
function startReaders(url: string, witness: Witness) {
  const over = new AbortController();
  const read = async (): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const path = readPaths[turn % readPaths.length] ?? '/';
      const { status } = await request(witness, url, 'GET', path, {});
      expect([path, status]).toEqual([path, 200]);
      await Bun.sleep(readEveryMs);
    }
  };
  const reading = read().catch((error: unknown) => witness.report(String(error)));
  return async () => {
    over.abort();
    await reading;
  };
}

async function sampleUntilOver(
  sampler: Sampler,
  witness: Witness,
  { durationMs, file, onProgress }: SoakOptions,
): Promise<readonly SoakSample[]> {
  const everyMs = Math.min(sampleEveryMs.most, Math.max(sampleEveryMs.least, durationMs / samplesWanted));
  const startedAt = performance.now();
  const samples: SoakSample[] = [];
  let progressAtMs = 0;
  for (let turn = 1; turn * everyMs <= durationMs; turn += 1) {
    await Bun.sleep(Math.max(0, startedAt + turn * everyMs - performance.now()));
    if (turn % collectedEvery === 0) await sampler.collect();
    const atMs = Math.round(performance.now() - startedAt);
    const [machineLoad = 0] = loadavg();
    const taken = await sampler.take();
    const sample: SoakSample = { atMs, ...taken, responses: witness.takeWindow(), machineLoad };
    samples.push(sample);
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
    if (atMs - progressAtMs < progressEveryMs) continue;
    progressAtMs = atMs;
    onProgress(progressLine(sample, witness));
  }
  return samples;
}

/** The file has the rest. */
function progressLine({ atMs, responses, machineLoad }: SoakSample, witness: Witness): string {
  return [
    `${Math.round(atMs / 60_000)} min: ${witness.responses} requests, p50 ${responses.p50Ms} ms, p99 ${responses.p99Ms} ms`,
    `machine ${machineLoad.toFixed(0)}`,
    `${witness.problems.length} problems`,
  ].join(' | ');
}

/** Waits until no work is open in the store, then until the queues are empty too. */
async function judgeAtRest({ store }: HubUnderTest, sampler: Sampler, file: string): Promise<Verdict[]> {
  const atRest = await tried('work at rest', `all accepted work is done within ${restMaxMs / 1_000} s`, () =>
    expectAtRest(store.db, restMaxMs),
  );
  const giveUpAt = performance.now() + restMaxMs;
  for (;;) {
    const sample = await sampler.take();
    const rest = judgeRest(sample);
    if (rest.holds === true || performance.now() > giveUpAt) {
      appendFileSync(file, `${JSON.stringify({ atRest: true, ...sample })}\n`);
      return [atRest, rest];
    }
    await Bun.sleep(restPollMs);
  }
}

/** Runs the operators' command in a process of its own. */
async function audit({ store, stores, population }: HubUnderTest): Promise<Verdict> {
  const { exitCode, printed, complaints } = await runHubCommand(['audit'], {
    DATABASE_URL: databaseUrlOf(store.setting),
    REDIS_URL: stores.redisUrl,
    DATA_DIR: population.dataDir,
  });
  return verdict('hub audit', 'no drift', exitCode === 0 ? [] : [printed, complaints]);
}

function verdict(name: string, rule: string, problems: readonly string[]): Verdict {
  return { name, holds: problems.length === 0, seen: problems.join('\n') || 'ok', rule };
}

async function tried(name: string, rule: string, work: () => Promise<unknown>): Promise<Verdict> {
  try {
    await work();
    return verdict(name, rule, []);
  } catch (error) {
    return verdict(name, rule, [String(error)]);
  }
}
