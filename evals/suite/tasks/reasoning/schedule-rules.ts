/** Rules about the order of jobs on one day: their wording and when they hold. Jobs are numbered from 0. */
import type { Level } from '../../ladder/ladder.ts';
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';

/** By job: when it starts, in minutes since midnight; -1 while it is not placed. */
export type Starts = readonly number[];

export interface Rule {
  /** A bit mask. */
  readonly jobs: number;
  /** Whether the rule holds once all its jobs are placed. */
  readonly holds: (starts: Starts) => boolean;
  readonly text: string;
}

export interface Day {
  readonly names: readonly string[];
  readonly minutes: readonly number[];
  /** When the first job starts. */
  readonly start: number;
}

/** The rules of high levels leave more room. */
type Draw = (random: Random, day: Day, starts: Starts, level: Level) => Rule;

const before: Draw = (random, day) => {
  const [a, b] = twoJobs(random, day);
  return rule(
    [a, b],
    (starts) => at(starts, a) < at(starts, b),
    `${name(day, a)} comes before ${name(day, b)}, not necessarily directly`,
  );
};

const directlyAfter: Draw = (random, day) => {
  const [a, b] = twoJobs(random, day);
  return rule(
    [a, b],
    (starts) => end(day, starts, a) === at(starts, b),
    `${name(day, b)} follows directly on ${name(day, a)}`,
  );
};

const notNext: Draw = (random, day) => {
  const [a, b] = twoJobs(random, day);
  return rule(
    [a, b],
    (starts) => end(day, starts, a) !== at(starts, b) && end(day, starts, b) !== at(starts, a),
    `at least one other job lies between ${name(day, a)} and ${name(day, b)}`,
  );
};

const startsBefore: Draw = (random, day, starts, level) => {
  const [a] = twoJobs(random, day);
  const time = at(starts, a) + 5 * random.int(level, 6 * level);
  return rule([a], (other) => at(other, a) < time, `${name(day, a)} starts before ${clock(time)}`);
};

const startsAfter: Draw = (random, day, starts, level) => {
  const [a] = twoJobs(random, day);
  const time = at(starts, a) - 5 * random.int(level, 6 * level);
  return rule([a], (other) => at(other, a) > time, `${name(day, a)} starts later than ${clock(time)}`);
};

const doneBy: Draw = (random, day, starts, level) => {
  const [a] = twoJobs(random, day);
  const time = end(day, starts, a) + 5 * random.int(level, 6 * level);
  return rule(
    [a],
    (other) => end(day, other, a) <= time,
    `${name(day, a)} is done by ${clock(time)} at the latest`,
  );
};

const pause: Draw = (random, day, starts) => {
  const [a, b] = twoJobs(random, day);
  const gap = at(starts, b) - end(day, starts, a);
  const minutes = Math.max(5, gap - random.int(0, 5) * 5);
  return rule(
    [a, b],
    (other) => at(other, b) - end(day, other, a) >= minutes,
    `at least ${minutes} minutes pass between the end of ${name(day, a)} and the start of ${name(day, b)}`,
  );
};

const between: Draw = (random, day) => {
  const [a, b, c] = threeJobs(random, day);
  return rule(
    [a, b, c],
    (starts) =>
      Math.min(at(starts, b), at(starts, c)) < at(starts, a) &&
      at(starts, a) < Math.max(at(starts, b), at(starts, c)),
    `${name(day, a)} lies somewhere between ${name(day, b)} and ${name(day, c)}`,
  );
};

const condition: Draw = (random, day) => {
  const [a, b, c] = threeJobs(random, day);
  return rule(
    [a, b, c],
    (starts) => at(starts, a) > at(starts, b) || at(starts, b) < at(starts, c),
    `if ${name(day, a)} comes before ${name(day, b)}, then ${name(day, c)} comes after ${name(day, b)}`,
  );
};

const oneBefore: Draw = (random, day) => {
  const [a, b, c] = threeJobs(random, day);
  return rule(
    [a, b, c],
    (starts) => at(starts, a) < at(starts, c) !== at(starts, b) < at(starts, c),
    `of ${name(day, a)} and ${name(day, b)}, exactly one comes before ${name(day, c)}`,
  );
};

const easy: readonly Draw[] = [before, before, directlyAfter, startsBefore, startsAfter];
const usual: readonly Draw[] = [before, notNext, startsBefore, startsAfter, doneBy, pause, between];
const indirect: readonly Draw[] = [
  notNext,
  startsBefore,
  startsAfter,
  doneBy,
  pause,
  between,
  condition,
  oneBefore,
];

/** A rule that holds for `starts`, or null. */
export function drawRule(random: Random, level: Level, day: Day, starts: Starts): Rule | null {
  const draws = level === 1 ? easy : level < 4 ? usual : indirect;
  const drawn = random.pick(draws)(random, day, starts, level);
  return drawn.holds(starts) ? drawn : null;
}

export function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function rule(jobs: readonly number[], holds: Rule['holds'], text: string): Rule {
  const mask = jobs.reduce((sum, job) => sum | (1 << job), 0);
  return { jobs: mask, holds, text: sentence(text) };
}

function at(starts: Starts, job: number): number {
  return starts[job] ?? 0;
}

function end({ minutes }: Day, starts: Starts, job: number): number {
  return at(starts, job) + (minutes[job] ?? 0);
}

function name({ names }: Day, job: number): string {
  return names[job] ?? '';
}

function twoJobs(random: Random, day: Day): [number, number] {
  const [a, b] = threeJobs(random, day);
  return [a, b];
}

function threeJobs(random: Random, { names }: Day): [number, number, number] {
  const [a = 0, b = 0, c = 0] = random.sample(
    names.map((_, job) => job),
    3,
  );
  return [a, b, c];
}
