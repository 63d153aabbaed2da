/** One machine, jobs without a break: searches for the order and tests each rule as soon as its jobs are placed. */
import { answer, linesOf, mentions, minutesOf } from './text-tools.ts';

interface Slot {
  readonly place: number;
  readonly start: number;
  readonly end: number;
}
interface Rule {
  readonly jobs: readonly string[];
  readonly holds: (slots: readonly Slot[]) => boolean;
}
type Check = (a: Slot, b: Slot, c: Slot, d: Slot) => boolean;

function checkOf(line: string): Check | undefined {
  const clock = minutesOf(/\d\d:\d\d/.exec(line)?.[0] ?? '00:00');
  const gap = Number(/least (\d+) minutes/.exec(line)?.[1] ?? '0');
  if (/starts later than/.test(line)) return (a) => a.start > clock;
  if (/starts before/.test(line)) return (a) => a.start < clock;
  if (/is done by/.test(line)) return (a) => a.end <= clock;
  if (/minutes pass between/.test(line)) return (a, b) => b.start - a.end >= gap;
  if (/one other job lies between/.test(line)) return (a, b) => Math.abs(a.place - b.place) > 1;
  if (/lies somewhere between/.test(line))
    return (a, b, c) => a.place > Math.min(b.place, c.place) && a.place < Math.max(b.place, c.place);
  if (/exactly one comes before/.test(line)) return (a, b, c) => a.place < c.place !== b.place < c.place;
  if (line.startsWith('- If ')) {
    const [condition = '', result = ''] = line.split(', then ');
    const order = (part: string, x: Slot, y: Slot): boolean =>
      / after /.test(part) ? x.place > y.place : x.place < y.place;
    return (a, b, c, d) => !order(condition, a, b) || order(result, c, d);
  }
  if (/comes directly before/.test(line)) return (a, b) => b.place - a.place === 1;
  if (/comes directly after/.test(line)) return (a, b) => a.place - b.place === 1;
  if (/comes before/.test(line)) return (a, b) => a.place < b.place;
  if (/comes after/.test(line)) return (a, b) => a.place > b.place;
  return undefined;
}

function search(
  jobs: ReadonlyMap<string, number>,
  rules: readonly Rule[],
  opening: number,
): ReadonlyMap<string, Slot> | undefined {
  const slots = new Map<string, Slot>();
  let nodes = 0;
  const place = (start: number): boolean => {
    if (slots.size === jobs.size) return true;
    nodes += 1;
    if (nodes > 40_000) return false;
    for (const [job, length] of jobs) {
      if (slots.has(job)) continue;
      slots.set(job, { place: slots.size, start, end: start + length });
      const fine = rules.every(({ jobs: named, holds }) => {
        if (!named.includes(job)) return true;
        const stands = named.map((name) => slots.get(name));
        return stands.includes(undefined) || holds(stands.filter((slot) => slot !== undefined));
      });
      if (fine && place(start + length)) return true;
      slots.delete(job);
    }
    return false;
  };
  return place(opening) ? slots : undefined;
}

const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

export function schedule(text: string): string | undefined {
  const opening = /The first job starts at (\d\d:\d\d)/.exec(text)?.[1];
  if (!opening) return undefined;
  const jobs = new Map<string, number>();
  for (const match of text.matchAll(/^- (\w+): (\d+) minutes$/gm)) jobs.set(match[1] ?? '', Number(match[2]));
  const rules: Rule[] = [];
  for (const line of linesOf(text)) {
    const check = /^- .*\.$/.test(line) ? checkOf(line) : undefined;
    const named = mentions(line.toLowerCase(), [...jobs.keys()]);
    const none = { place: 0, start: 0, end: 0 };
    if (check)
      rules.push({ jobs: named, holds: ([a = none, b = none, c = none, d = none]) => check(a, b, c, d) });
  }
  const slots = search(jobs, rules, minutesOf(opening));
  if (!slots) return undefined;
  const asked = /At what time does (\w+) start/.exec(text)?.[1];
  const slot = asked ? slots.get(asked) : undefined;
  return answer(slot ? clockOf(slot.start) : [...slots.keys()].join(', '));
}
