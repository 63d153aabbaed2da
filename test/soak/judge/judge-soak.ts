/** The rules of a soak. Each verdict includes the observed value, so that the printed table explains it. */
import type { SoakSample } from '../measure/sampler.ts';
import { type Allowance, judgeGrowth, type Point } from './growth.ts';

export interface Verdict {
  readonly name: string;
  /** Null if the run was too short. */
  readonly holds: boolean | null;
  readonly seen: string;
  readonly rule: string;
}

/** The target for all numbers. */
const anHour = { share: 0.05, per: 60 * 60 * 1_000 } as const;

/**
 * Allowed growth in the second half of a run. In the first half, code is compiled and pools and caches fill.
 * Each step is the variation of the number in an idle hub.
 */
const allowances = {
  /** The allocator takes megabytes at a time and returns them late. */
  rssMb: { ...anHour, step: 6 },
  /**
   * Of the window minima. Each window includes a garbage collection, so the rest varies with the running
   * requests.
   */
  heapMb: { ...anHour, step: 3 },
  /** Kept-alive connections come and go. */
  files: { ...anHour, step: 6 },
  redisMb: { ...anHour, step: 1 },
  /** Rate limits, mailboxes and queued jobs live for at most a minute. */
  redisKeys: { ...anHour, step: 60 },
  /** Jobs in any state. */
  queueJobs: { ...anHour, step: 15 },
  connections: { ...anHour, step: 3 },
  /** SQLite overwrites the log from its start when no reader uses it. */
  logMb: { ...anHour, step: 4 },
} as const satisfies Record<string, Allowance>;

/** In a shorter run the hub is still warming up. */
export const judgedFromMs = 4 * 60 * 1_000;

export function judgeGrowthOf(samples: readonly SoakSample[]): Verdict[] {
  const durationMs = samples.at(-1)?.atMs ?? 0;
  const judged = durationMs < judgedFromMs ? [] : samples.filter(({ atMs }) => atMs >= durationMs / 2);
  const judge = (name: string, unit: string, allowance: Allowance, read: (sample: SoakSample) => number) => {
    const points = judged.map((sample) => ({ at: sample.atMs, value: read(sample) }));
    return judgeOne(name, unit, allowance, points);
  };
  const first = samples[0];
  const processes = Object.entries(first?.processes ?? {});
  return [
    ...processes.map(([name]) =>
      judge(`memory of ${name}`, 'MB', allowances.rssMb, ({ processes }) => processes[name]!.rssMb),
    ),
    ...processes
      .filter(([, { heapMb }]) => heapMb !== null)
      .map(([name]) =>
        judge(`heap of ${name}`, 'MB', allowances.heapMb, ({ processes }) => processes[name]!.heapMb!),
      ),
    ...processes.map(([name]) =>
      judge(`files of ${name}`, '', allowances.files, ({ processes }) => processes[name]!.files),
    ),
    judge('memory in Redis', 'MB', allowances.redisMb, ({ redis }) => redis.memoryMb - redis.eventLogsMb),
    judge('keys in Redis', '', allowances.redisKeys, ({ redis }) => redis.keys),
    judge('connections to Redis', '', allowances.connections, ({ redis }) => redis.connections),
    judge('connections to the store', '', allowances.connections, ({ store }) => store.connections),
    judge('log of the store', 'MB', allowances.logMb, ({ store }) => store.logMb),
    ...Object.keys(first?.queues ?? {}).flatMap((queue) => [
      judge(`queue ${queue}`, 'jobs', allowances.queueJobs, ({ queues }) => lengthOf(queues[queue]!)),
      judge(`open jobs of ${queue}`, 'jobs', allowances.queueJobs, ({ queues }) => queues[queue]!.open),
    ]),
    judge('mailboxes', '', allowances.queueJobs, ({ mailboxes }) => mailboxes),
  ];
}

function judgeOne(name: string, unit: string, allowance: Allowance, points: readonly Point[]): Verdict {
  const verdict = judgeGrowth(points, allowance);
  const { share, step } = allowance;
  const rule = `grows by at most ${share * 100} % per hour plus ${step} ${unit}`.trimEnd();
  if (verdict === null) return { name, holds: null, seen: 'too short a run', rule };
  const { level, grownBy, isFlat } = verdict;
  const seen = `${shown(level)} ${unit}, ${signed(grownBy)}`.replace(' ,', ',');
  return { name, holds: isFlat, seen, rule };
}

function lengthOf({ waiting, active, delayed, failed }: SoakSample['queues'][string]): number {
  return waiting + active + delayed + failed;
}

function shown(value: number): string {
  return value.toFixed(Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1);
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

/** After all accepted work is done, the queues and mailboxes are empty. */
export function judgeRest({ queues, mailboxes }: Pick<SoakSample, 'queues' | 'mailboxes'>): Verdict {
  const left = Object.entries(queues).flatMap(([name, queue]) => {
    const jobs = lengthOf(queue) + queue.open;
    return jobs === 0 ? [] : `${name}: ${JSON.stringify(queue)}`;
  });
  if (mailboxes > 0) left.push(`${mailboxes} mailboxes`);
  const seen = left.join('; ') || 'empty';
  return { name: 'queues at rest', holds: left.length === 0, seen, rule: 'no job or command is left' };
}

/** The verdicts as a table for people. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const decided = verdicts.filter(({ holds }) => holds !== null);
  const undecided = verdicts.length - decided.length;
  const table = Bun.inspect.table(decided, ['name', 'holds', 'seen', 'rule']);
  return undecided === 0
    ? table
    : `${table}The run was too short to judge the growth of ${undecided} numbers.`;
}
