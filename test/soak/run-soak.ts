/**
 * Runs a hub under a mixed load and samples it. At the end, waits until all accepted work is done, audits the hub, and
 * checks that everything it acknowledged is in the store.
 */
import { expect } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Dialect } from '#db/dialect.ts';
import { createRandom } from '#evals/random.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { expectAtRest, expectDelivered } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { createWitness } from '#test/workload/witness.ts';
import {
  judgedFromMs,
  judgeExcuses,
  judgeGrowthOf,
  judgeLoad,
  judgeRest,
  type Verdict,
} from './judge/judge-soak.ts';
import { createActivities } from './load/activities.ts';
import { driveLoad } from './load/drive-load.ts';
import { createSession, isTemporary, type Session } from './load/session.ts';
import { createSampler, type Sampler } from './measure/sampler.ts';
import type { SoakSample } from './measure/soak-sample.ts';
import { type SoakHub, startSoakHub } from './soak-hub.ts';

export interface SoakOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  readonly durationMs: number;
  /** Requests per second. */
  readonly rate: number;
  /** Receives the samples, one line of JSON each. */
  readonly file: string;
  readonly onProgress: (line: string) => void;
}

/** Twice a minute in a long run, more often in a short one. */
const sampleEveryMs = { least: 1_000, most: 30_000 };
const samplesWanted = 120;
/** One sample in this many follows a garbage collection; the others show the hub undisturbed. */
const collectedEvery = 4;
const progressEveryMs = 60_000;
const responseMaxMs = 30_000;
/** A failed delivery waits 5 seconds, an email whose worker died 35. */
const restMaxMs = 120_000;
const restPollMs = 500;

/** Rejects only if the soak cannot be run. */
export async function runSoak(options: SoakOptions): Promise<readonly Verdict[]> {
  const hub = await startSoakHub(options.dialect, options.durationMs < judgedFromMs);
  const sampler = createSampler(hub.processes, hub.stores.redisUrl, hub.store.setting);
  try {
    return await soak(hub, sampler, options);
  } finally {
    await sampler.close();
    await hub.stop();
  }
}

async function soak(hub: SoakHub, sampler: Sampler, options: SoakOptions): Promise<Verdict[]> {
  const { seed, durationMs, rate } = options;
  const witness = createWitness(responseMaxMs);
  const session = createSession(hub.url, witness);
  const activities = createActivities(hub, session, createRandom(seed, 'load'), seed.slice(0, 6));
  const load = driveLoad({ session, activities, rate, durationMs });
  let samples: readonly SoakSample[];
  try {
    samples = await sampleUntilOver(sampler, session, () => load.inFlight, options);
  } finally {
    load.stop();
    await load.ended;
  }
  const sent = witness.responses;
  const { db } = hub.store;
  return [
    judgeLoad(sent, (rate * durationMs) / 1_000, durationMs),
    ...judgeResponses(session),
    ...judgeGrowthOf(samples),
    ...(await judgeAtRest(hub, sampler, options.file)),
    await tried('kept', `all ${witness.outcomes.length} outcomes are in the store, once`, () =>
      expectKept(db, witness.outcomes),
    ),
    await tried('delivered', 'every notification was delivered to its webhooks, once', () =>
      expectDelivered(db, hub.population.receiver),
    ),
    await tried('mail', 'every email was sent, and every accepted email is in the inbox', () =>
      expectMailed(hub, activities.mailed, witness.byStatus[502] ?? 0),
    ),
    await audit(hub),
  ];
}

async function sampleUntilOver(
  sampler: Sampler,
  session: Session,
  inFlight: () => number,
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
    const sample: SoakSample = {
      atMs,
      ...(await sampler.take()),
      responses: session.witness.takeWindow(),
      inFlight: inFlight(),
      machineLoad: loadavg()[0] ?? 0,
    };
    samples.push(sample);
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
    if (atMs - progressAtMs < progressEveryMs) continue;
    progressAtMs = atMs;
    onProgress(progressLine(sample, session));
  }
  return samples;
}

function progressLine(
  { atMs, processes, queues, redis, store, responses, machineLoad }: SoakSample,
  session: Session,
): string {
  const memory = Object.entries(processes).map(([name, { rssMb, heapMb }]) =>
    heapMb === null ? `${name} ${rssMb.toFixed(0)}` : `${name} ${rssMb.toFixed(0)}/${heapMb.toFixed(0)}`,
  );
  const jobs = Object.entries(queues).map(
    ([name, { waiting, active, delayed }]) => `${name} ${waiting}+${active}+${delayed}`,
  );
  return [
    `${Math.round(atMs / 60_000)} min: ${session.witness.responses} requests, p50 ${responses.p50Ms} ms, p99 ${responses.p99Ms} ms`,
    `MB (heap): ${memory.join(', ')}`,
    `jobs: ${jobs.join(', ')}`,
    `Redis ${redis.keys} keys, ${redis.memoryMb.toFixed(1)} MB; store ${store.sizeMb.toFixed(0)} MB`,
    `machine ${machineLoad.toFixed(0)}`,
    `${session.excused} excused, ${session.witness.problems.length} problems`,
  ].join(' | ');
}

/** Waits until no work is open in the store, then until the queues are empty too. */
async function judgeAtRest({ store }: SoakHub, sampler: Sampler, file: string): Promise<Verdict[]> {
  const atRest = await tried('work at rest', `all accepted work is done within ${restMaxMs / 1_000} s`, () =>
    expectAtRest(store.db, restMaxMs),
  );
  const giveUpAt = performance.now() + restMaxMs;
  for (;;) {
    const sample = await sampler.take();
    const verdicts = judgeRest(sample);
    if (verdicts.every(({ holds }) => holds === true) || performance.now() > giveUpAt) {
      appendFileSync(file, `${JSON.stringify({ atRest: true, ...sample })}\n`);
      return [atRest, ...verdicts];
    }
    await Bun.sleep(restPollMs);
  }
}

function judgeResponses({ witness, excused }: Session): Verdict[] {
  const { problems, byStatus, responses } = witness;
  const failures = Object.keys(byStatus).filter(
    (status) => Number(status) >= 500 && !isTemporary(Number(status)),
  );
  return [
    verdict('responses', 'documented, in time, and no 5xx but 502 and 503', [
      ...problems,
      ...failures.map((status) => `${byStatus[status]} times ${status}`),
    ]),
    judgeExcuses(excused, responses),
  ];
}

async function expectMailed(
  { store, smtp }: SoakHub,
  mailed: readonly string[],
  reportedUnsent: number,
): Promise<void> {
  const { query, tables } = store.db;
  const mails = await query.select().from(tables.mails);
  // The sender of a contact message is told if it could not be sent. Nobody would send another kind of mail again.
  const unsent = mails.filter(({ status }) => status !== 'sent');
  expect(unsent.filter(({ kind }) => kind !== 'contact')).toEqual([]);
  expect(unsent.length).toBeLessThanOrEqual(reportedUnsent);
  expect(smtp.taken.length).toBeGreaterThanOrEqual(mails.length - unsent.length);
  const kept = new Set((await query.select().from(tables.inboxEmails)).map(({ messageId }) => messageId));
  expect(mailed.filter((messageId) => !kept.has(messageId))).toEqual([]);
}

/** Runs the operators' command in a process of its own. */
async function audit({ store, stores, population }: SoakHub): Promise<Verdict> {
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

async function tried(name: string, rule: string, work: () => Promise<void>): Promise<Verdict> {
  try {
    await work();
    return verdict(name, rule, []);
  } catch (error) {
    return verdict(name, rule, [String(error)]);
  }
}
