/**
 * A hub under a mixed load for as long as it is told, looked at again and again, then left alone until all promised work
 * is done, audited, and searched for everything it has acknowledged.
 */
import { expect } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Dialect } from '#db/database.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import { expectAtRest, expectTold } from '#test/crash/expect-at-rest.ts';
import { expectKept } from '#test/crash/expect-kept.ts';
import { databaseUrlOf, runHubCommand } from '#test/harness/hub-command.ts';
import { judgeExcuses, judgeGrowthOf, judgeLoad, judgeRest, type Verdict } from './judge/judge-soak.ts';
import { type Acts, createActs } from './load/acts.ts';
import { driveLoad } from './load/drive-load.ts';
import { createVisitor, isAskAgain, type Visitor } from './load/visitor.ts';
import { createSampler, type Sampler } from './measure/sampler.ts';
import type { SoakSample } from './measure/soak-sample.ts';
import { buildSoakWorld, type SoakWorld } from './world.ts';

export interface SoakOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  readonly lastsMs: number;
  /** Requests in a second. */
  readonly rate: number;
  /** Takes the samples, a line of JSON each. */
  readonly file: string;
  readonly onProgress: (line: string) => void;
}

/** Two a minute in a long run; a short one is looked at more closely. */
const sampleEveryMs = { least: 1_000, most: 30_000 };
const samplesWanted = 120;
/** One sample in so many is of what the processes hold once their garbage is gone; the others are of a hub left to itself. */
const collectedEvery = 4;
const progressEveryMs = 60_000;
/** A delivery that was refused waits for five seconds, a mail whose worker died for 35. */
const restMaxMs = 120_000;
const restLookEveryMs = 500;

/** Rejects only when it cannot be carried out at all. */
export async function runSoak(options: SoakOptions): Promise<readonly Verdict[]> {
  const world = await buildSoakWorld(options.dialect);
  const sampler = createSampler(world.processes, world.stores.redisUrl, world.store.setting);
  try {
    return await soak(world, sampler, options);
  } finally {
    await sampler.close();
    await world.stop();
  }
}

async function soak(world: SoakWorld, sampler: Sampler, options: SoakOptions): Promise<Verdict[]> {
  const { seed, lastsMs, rate } = options;
  const visitor = createVisitor(world.url);
  const acts = createActs(world, visitor, createRandom(seed, 'load'), seed.slice(0, 6));
  const load = driveLoad({ visitor, acts, rate, lastsMs });
  let samples: readonly SoakSample[];
  try {
    samples = await sampleUntilOver(sampler, visitor, () => load.inFlight, options);
  } finally {
    load.stop();
    await load.ended;
  }
  const asked = visitor.asked;
  const rest = await lookAtRest(world, sampler, options.file);
  return [
    judgeLoad(asked, (rate * lastsMs) / 1_000),
    ...judgeAnswers(visitor),
    ...judgeGrowthOf(samples),
    ...rest,
    await tried('kept', `all ${acts.outcomes.length} outcomes are as they were told, once`, () =>
      expectKept(world.store.db, acts.outcomes),
    ),
    await tried('told', 'every event was delivered to its webhooks, once', () =>
      expectTold(world.store.db, world.around.receiver),
    ),
    await tried('mail', 'every mail was sent, and every mail that was taken is in the inbox', () =>
      expectMailed(world, acts, visitor.byStatus[502] ?? 0),
    ),
    await audit(world),
  ];
}

async function sampleUntilOver(
  sampler: Sampler,
  visitor: Visitor,
  inFlight: () => number,
  { lastsMs, file, onProgress }: SoakOptions,
): Promise<readonly SoakSample[]> {
  const everyMs = Math.min(sampleEveryMs.most, Math.max(sampleEveryMs.least, lastsMs / samplesWanted));
  const startedAt = performance.now();
  const samples: SoakSample[] = [];
  let toldAtMs = 0;
  for (let turn = 1; turn * everyMs <= lastsMs; turn += 1) {
    await Bun.sleep(Math.max(0, startedAt + turn * everyMs - performance.now()));
    if (turn % collectedEvery === 0) await sampler.collect();
    const atMs = Math.round(performance.now() - startedAt);
    const seen = {
      atMs,
      ...(await sampler.take()),
      answers: visitor.takeWindow(),
      inFlight: inFlight(),
      machineLoad: loadavg()[0] ?? 0,
    };
    samples.push(seen);
    appendFileSync(file, `${JSON.stringify(seen)}\n`);
    if (atMs - toldAtMs < progressEveryMs) continue;
    toldAtMs = atMs;
    onProgress(progressLine(seen, visitor));
  }
  return samples;
}

function progressLine(
  { atMs, processes, queues, redis, store, answers, machineLoad }: SoakSample,
  visitor: Visitor,
): string {
  const memory = Object.entries(processes).map(([name, { rssMb, heapMb }]) =>
    heapMb === null ? `${name} ${rssMb.toFixed(0)}` : `${name} ${rssMb.toFixed(0)}/${heapMb.toFixed(0)}`,
  );
  const jobs = Object.entries(queues).map(
    ([name, { waiting, active, delayed }]) => `${name} ${waiting}+${active}+${delayed}`,
  );
  return [
    `${Math.round(atMs / 60_000)} min: ${visitor.asked} requests, p50 ${answers.p50Ms} ms, p99 ${answers.p99Ms} ms`,
    `MB (heap): ${memory.join(', ')}`,
    `jobs: ${jobs.join(', ')}`,
    `Redis ${redis.keys} keys, ${redis.memoryMb.toFixed(1)} MB; store ${store.sizeMb.toFixed(0)} MB`,
    `machine ${machineLoad.toFixed(0)}`,
    `${visitor.excused} excused, ${visitor.hearing.broken.length} faults`,
  ].join(' | ');
}

/** Waits until the store has nothing open, then until the queues have forgotten it. */
async function lookAtRest({ store }: SoakWorld, sampler: Sampler, file: string): Promise<Verdict[]> {
  const atRest = await tried('work at rest', `all promised work is done within ${restMaxMs / 1_000} s`, () =>
    expectAtRest(store.db, restMaxMs),
  );
  const giveUpAt = performance.now() + restMaxMs;
  for (;;) {
    const seen = await sampler.take();
    const verdicts = judgeRest(seen);
    if (verdicts.every(({ holds }) => holds === true) || performance.now() > giveUpAt) {
      appendFileSync(file, `${JSON.stringify({ atRest: true, ...seen })}\n`);
      return [atRest, ...verdicts];
    }
    await Bun.sleep(restLookEveryMs);
  }
}

function judgeAnswers({ hearing, byStatus, asked, excused }: Visitor): Verdict[] {
  const failures = Object.keys(byStatus).filter(
    (status) => Number(status) >= 500 && !isAskAgain(Number(status)),
  );
  return [
    holding('answers', 'as the document says, in time, and no 5xx but 502 and 503', [
      ...hearing.broken,
      ...failures.map((status) => `${byStatus[status]} times ${status}`),
    ]),
    judgeExcuses(excused, asked),
  ];
}

async function expectMailed({ store, smtp }: SoakWorld, { mailed }: Acts, toldUnsent: number): Promise<void> {
  const { query, tables } = store.db;
  const mails = await query.select().from(tables.mails);
  // Who writes to the team is told when it could not be sent; nobody else is there to send a notice again.
  const unsent = mails.filter(({ status }) => status !== 'sent');
  expect(unsent.filter(({ kind }) => kind !== 'contact')).toEqual([]);
  expect(unsent.length).toBeLessThanOrEqual(toldUnsent);
  expect(smtp.taken.length).toBeGreaterThanOrEqual(mails.length - unsent.length);
  const kept = new Set((await query.select().from(tables.inboxEmails)).map(({ messageId }) => messageId));
  expect(mailed.filter((messageId) => !kept.has(messageId))).toEqual([]);
}

/** The operators' own command, in a process of its own. */
async function audit({ store, stores, around }: SoakWorld): Promise<Verdict> {
  const { exitCode, printed, complaints } = await runHubCommand(['audit'], {
    DATABASE_URL: databaseUrlOf(store.setting),
    REDIS_URL: stores.redisUrl,
    DATA_DIR: around.dataDir,
  });
  return holding('hub audit', 'no drift', exitCode === 0 ? [] : [printed, complaints]);
}

function holding(name: string, rule: string, faults: readonly string[]): Verdict {
  return { name, holds: faults.length === 0, seen: faults.join('\n') || 'so it is', rule };
}

async function tried(name: string, rule: string, work: () => Promise<void>): Promise<Verdict> {
  try {
    await work();
    return holding(name, rule, []);
  } catch (error) {
    return holding(name, rule, [String(error)]);
  }
}
