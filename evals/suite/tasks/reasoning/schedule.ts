/** Jobs of different lengths that follow one another without a break, in the one order that the rules allow. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { maxGeneratorAttempts } from '../../../limits.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task } from '../../task.ts';
import type { Day, Rule, Starts } from './schedule-rules.ts';
import { clock, drawRule } from './schedule-rules.ts';

const jobCounts: Readonly<Record<Level, number>> = { 1: 4, 2: 5, 3: 6, 4: 7, 5: 9, 6: 10, 7: 11, 8: 12 };

/** The limit on the search that proves an order unique. */
const maxProofSteps = 600;
const jobNames = (
  'painting welding packing sorting polishing sawing gluing drilling washing labelling ' +
  'weighing grinding soldering varnishing stapling sanding bleaching stitching engraving pressing'
).split(' ');

export interface Schedule {
  readonly day: Day;
  readonly rules: readonly Rule[];
  readonly starts: Starts;
}

export const schedule: Kind = {
  name: 'schedule',
  make: (random, level) => firstDraft(() => draft(random, makeSchedule(random, level))),
};

function draft(random: Random, { day, rules, starts }: Schedule): Task | null {
  const { names, minutes } = day;
  const order = names.toSorted(
    (left, right) => (starts[names.indexOf(left)] ?? 0) - (starts[names.indexOf(right)] ?? 0),
  );
  const jobs = names.map((name, job) => `- ${name}: ${minutes[job] ?? 0} minutes`);
  const text = [
    `${random.pick(['A workshop', 'One machine', 'A small studio'])} has ${names.length} jobs for one day, one at a time and without a break between them. The first job starts at ${clock(day.start)}.`,
    jobs.join('\n'),
    random.pick(['The following holds:', 'These rules are kept:', 'All of this is true:']),
    rules.map((rule) => `- ${rule.text}`).join('\n'),
  ].join('\n\n');
  if (random.chance(0.5)) {
    if (order.join() === names.join()) return null;
    return exactTask({
      prompt: `${text}\n\nIn which order are the jobs done? ${askForAnswer(random, 'the jobs from first to last, separated by commas')}`,
      type: 'list',
      value: order,
      skill: 'scheduling',
      mistakes: [names, order.toReversed(), order.slice(1), [...order.slice(1), ...order.slice(0, 1)]],
    });
  }
  const hidden = names.flatMap((_, job) => (text.includes(clock(starts[job] ?? 0)) ? [] : [job]));
  if (hidden.length === 0) return null;
  const asked = random.pick(hidden);
  return exactTask({
    prompt: `${text}\n\nAt what time does ${names[asked] ?? ''} start? ${askForAnswer(random, 'the time in the form HH:MM')}`,
    type: 'time',
    value: clock(starts[asked] ?? 0),
    skill: 'scheduling',
    mistakes: starts.map(clock),
  });
}

export function makeSchedule(random: Random, level: Level): Schedule {
  const count = jobCounts[level];
  const lengths = Array.from({ length: 13 }, (_, step) => 15 + 5 * step);
  const day: Day = {
    names: random.sample(jobNames, count),
    minutes: random.sample(lengths, count),
    start: random.int(84, 114) * 5,
  };
  const starts = startsOf(day, random.shuffle(day.names.map((_, job) => job)));
  let rules: Rule[] = [];
  for (let draws = 0; ; draws += 1) {
    // Fewer rules than jobs are hardly ever enough, so these are drawn without a search.
    const other: Search =
      level > 2 && rules.length < count ? { found: 'unsure' } : findOther(day, rules, starts);
    if (other.found === 'none') break;
    let rule = drawRule(random, level, day, starts);
    for (; rule === null || (other.found === 'other' && rule.holds(other.starts)); draws += 1) {
      if (draws > maxGeneratorAttempts * 10) throw new Error('No rule tells two orders apart.');
      rule = drawRule(random, level, day, starts);
    }
    rules.push(rule);
  }
  for (const rule of random.shuffle(rules)) {
    const rest = rules.filter((kept) => kept !== rule);
    if (findOther(day, rest, starts).found === 'none') rules = rest;
  }
  return { day, rules, starts };
}

function startsOf({ minutes, start }: Day, order: readonly number[]): number[] {
  const starts: number[] = [];
  let now = start;
  for (const job of order) {
    starts[job] = now;
    now += minutes[job] ?? 0;
  }
  return starts;
}

type Search = { readonly found: 'other'; readonly starts: Starts } | { readonly found: 'none' | 'unsure' };

/** Whether every rule holds, apart from those with a job that is not placed yet. */
function fits(rules: readonly Rule[], placed: number, starts: Starts): boolean {
  for (const { jobs, holds } of rules) if ((jobs & ~placed) === 0 && !holds(starts)) return false;
  return true;
}

/** Looks for an order that the rules allow and that differs from `known`. */
function findOther(day: Day, rules: readonly Rule[], known: Starts): Search {
  const count = day.names.length;
  const rulesOf = day.names.map((_, job) => rules.filter((rule) => (rule.jobs & (1 << job)) !== 0));
  const starts = day.names.map(() => -1);
  let left = maxProofSteps;
  const place = (now: number, placed: number): boolean => {
    if (placed === (1 << count) - 1) return starts.some((start, job) => start !== known[job]);
    for (let job = 0; job < count && left > 0; job += 1) {
      const next = placed | (1 << job);
      if (next === placed) continue;
      left -= 1;
      starts[job] = now;
      if (fits(rulesOf[job] ?? [], next, starts) && place(now + (day.minutes[job] ?? 0), next)) return true;
      starts[job] = -1;
    }
    return false;
  };
  if (place(day.start, 0)) return { found: 'other', starts };
  return { found: left > 0 ? 'none' : 'unsure' };
}
