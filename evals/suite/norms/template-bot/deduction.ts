/** Zebra puzzles, stories, liars and schedules: clues become rules, a search does the rest. */
import { answer, linesOf, mentions, minutesOf } from './text-tools.ts';
import { type Rule, solvePlaces } from './place-solver.ts';

type Check = (a: number, b: number, c: number) => boolean;

const between: Check = (a, b, c) => Math.min(b, c) < a && a < Math.max(b, c);

/** What a zebra clue says about the places of the values that it names. */
function zebraCheck(clue: string, size: number): Check | undefined {
  const end = (a: number): boolean => a === 0 || a === size - 1;
  const number = Number(/\b\d+\b/.exec(clue)?.[0] ?? '1');
  if (/is either/.test(clue)) return (a, b, c) => a === b || a === c;
  if (/right next to/.test(clue)) return (a, b) => Math.abs(a - b) === 1;
  if (/neither the same person nor direct neighbours/.test(clue)) return (a, b) => Math.abs(a - b) > 1;
  if (/are the same person/.test(clue)) return (a, b) => a === b;
  if (/two different people/.test(clue)) return (a, b) => a !== b;
  if (/somewhere between/.test(clue)) return between;
  if (/add up to/.test(clue)) return (a, b) => a + b + 2 === number;
  if (/exactly one is/.test(clue)) return (a, b) => end(a) !== end(b);
  if (/There (is|are) exactly/.test(clue)) return (a, b) => Math.abs(a - b) === number + 1;
  if (/is not at (one end|the very)/.test(clue)) return (a) => !end(a);
  if (/is at (one end|the very)/.test(clue)) return (a) => end(a);
  if (/odd number/.test(clue)) return (a) => a % 2 === 0;
  if (/even number/.test(clue)) return (a) => a % 2 === 1;
  const later = /east|right|above|nearer the stern|higher/.test(clue);
  if (/directly|is one \w+ (nearer|further)/.test(clue)) return (a, b) => (later ? a - b : b - a) === 1;
  if (/further|somewhere|nearer/.test(clue)) return (a, b) => (later ? a > b : a < b);
  if (/ha[sd] \w+ \d+/.test(clue)) return (a) => a + 1 === number;
  return undefined;
}

export function zebra(text: string): string | undefined {
  const asked = /What are the (\w+) from/.exec(text)?.[1];
  if (!asked) return undefined;
  const groups = new Map<string, string[]>();
  for (const match of text.matchAll(/^- (\w+): (.*)$/gm))
    groups.set(match[1] ?? '', (match[2] ?? '').split(', '));
  const wanted = groups.get(asked);
  if (!wanted) return undefined;
  const values = [...groups.values()].flat();
  const rules: Rule[] = [];
  for (const line of linesOf(text)) {
    const clue = /^(?:-|\d+\.) (.*\.)$/.exec(line)?.[1];
    const check = clue ? zebraCheck(clue, wanted.length) : undefined;
    if (clue && check)
      rules.push({ values: mentions(clue, values), holds: ([a = 0, b = 0, c = 0]) => check(a, b, c) });
  }
  const places = solvePlaces([...groups.values()], rules);
  if (!places) return undefined;
  return answer([...wanted].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)).join(', '));
}

function storyCheck(clue: string, times: readonly number[]): Check | undefined {
  const at = (place: number): number => times[place] ?? 0;
  const clock = minutesOf(/\d+:\d\d/.exec(clue)?.[0] ?? '0:00');
  const apart = Number(/less than (\d+) minutes/.exec(clue)?.[1] ?? '0');
  if (/very next visitor after/.test(clue)) return (a, b) => a === b + 1;
  if (/very next visitor before/.test(clue)) return (a, b) => a === b - 1;
  if (/earlier time than/.test(clue)) return (a, b) => a < b;
  if (/later time than/.test(clue)) return (a, b) => a > b;
  if (/less than \d+ minutes apart/.test(clue)) return (a, b) => a !== b && Math.abs(at(a) - at(b)) < apart;
  if (/more than \d+ minutes apart/.test(clue))
    return (a, b) => Math.abs(at(a) - at(b)) > Number(/more than (\d+)/.exec(clue)?.[1]);
  if (/exactly one visitor came between/i.test(clue)) return (a, b) => Math.abs(a - b) === 2;
  if (/were not the same person|was not|had not|not /.test(clue)) return (a, b) => a !== b;
  if (/came after .* but before/.test(clue)) return (a, b, c) => b < a && a < c;
  if (/was there after \d/.test(clue)) return (a) => at(a) > clock;
  if (/was there before \d/.test(clue)) return (a) => at(a) < clock;
  if (/was there at \d/.test(clue)) return (a) => at(a) === clock;
  if (/\beither\b/.test(clue)) return (a, b, c) => a === b || a === c;
  return (a, b) => a === b;
}

const listIn = (text: string, pattern: RegExp): string[] => (pattern.exec(text)?.[1] ?? '').split(', ');

export function story(text: string): string | undefined {
  const asked = /the visitor who came directly (after|before) (.*?)\. Who was it/.exec(text);
  if (!asked) return undefined;
  const clocks = /one after the other, at (.*?)\. They were/.exec(text)?.[1]?.match(/\d+:\d\d/g) ?? [];
  const times = clocks.map(minutesOf);
  const groups = [
    listIn(text, /in no particular order, (.*?)\./),
    listIn(text, /went to a different room: (.*?)\./),
  ];
  for (const [, more = ''] of text.matchAll(/Each (?:carried|wore|had come by) a different .*?: (.*?)\./g))
    groups.push(more.split(', '));
  const values = groups.flat();
  const body = text.slice(text.indexOf('\n'), asked.index);
  const rules: Rule[] = [];
  for (const clue of body.split(/(?<=\.)\s+/)) {
    const named = mentions(clue, values);
    const check = storyCheck(clue, times);
    const needed = /was there (?:after|before|at) \d/.test(clue) ? 1 : 2;
    if (check && named.length >= needed)
      rules.push({ values: named, holds: ([a = 0, b = 0, c = 0]) => check(a, b, c) });
  }
  const places = solvePlaces(groups, rules);
  const anchor = mentions(asked[2] ?? '', values)[0];
  if (!places || !anchor) return undefined;
  const target = (places.get(anchor) ?? 0) + (asked[1] === 'after' ? 1 : -1);
  return answer(groups.map((group) => group.find((value) => places.get(value) === target) ?? '').join(', '));
}

const HONEST = /^(a |an |the )?(knights?|honest|members? of the Moss|Moss)/;

/** Whether a remark is true if exactly the people in the set are honest. */
function remarkHolds(remark: string, names: readonly string[], honest: ReadonlySet<string>): boolean {
  const named = mentions(remark, names);
  const [first = '', second = ''] = named;
  const claims = [...remark.matchAll(/(\w+) is (.*?)(?:,|\.|$)/g)].map(
    (match) => honest.has(match[1] ?? '') === HONEST.test(match[2] ?? ''),
  );
  if (/of the same sort/.test(remark)) return honest.has(first) === honest.has(second);
  if (/^Of .*exactly one is/.test(remark)) return honest.has(first) !== honest.has(second);
  if (/would tell you that/.test(remark)) {
    const said = /that \w+ is (.*)\./.exec(remark)?.[1] ?? '';
    return honest.has(first) === (honest.has(second) === HONEST.test(said));
  }
  if (remark.startsWith('Among')) {
    const counted = /(exactly|at least|at most) (one|\d+) (.*)\./.exec(remark);
    const wanted = counted?.[2] === 'one' ? 1 : Number(counted?.[2] ?? '0');
    const truthful = /^(knight|honest|members? of the Moss)/.test(counted?.[3] ?? '');
    const found = named.filter((name) => honest.has(name) === truthful).length;
    return counted?.[1] === 'exactly'
      ? found === wanted
      : counted?.[1] === 'at least'
        ? found >= wanted
        : found <= wanted;
  }
  if (remark.startsWith('If ')) return !claims[0] || (claims[1] ?? false);
  if (/ or both/.test(remark)) return claims.some(Boolean);
  return claims.every(Boolean);
}

export function liars(text: string): string | undefined {
  const asked = /Who are the (.*?)\?/.exec(text)?.[1];
  const remarks = [...text.matchAll(/^(\w+) says: "(.*)"$/gm)].map(
    (match) => [match[1] ?? '', match[2] ?? ''] as const,
  );
  const names = remarks.map(([name]) => name);
  if (!asked || names.length === 0 || names.length > 12) return undefined;
  const vetted = remarks.map(([name, remark]) => ({
    bit: names.indexOf(name),
    test: tableOf(remark, names),
  }));
  for (let mask = 0; mask < 1 << names.length; mask += 1) {
    if (!vetted.every(({ bit, test }) => ((mask >> bit) & 1) === (test(mask) ? 1 : 0))) continue;
    const truthful = HONEST.test(asked);
    return answer(names.filter((_, bit) => (((mask >> bit) & 1) === 1) === truthful).join(', '));
  }
  return undefined;
}

/** The remark's truth by the people that it names, computed once for each of their combinations. */
function tableOf(remark: string, names: readonly string[]): (mask: number) => boolean {
  const bits = [...new Set(mentions(remark, names))].map((name) => names.indexOf(name));
  const table: boolean[] = [];
  for (let index = 0; index < 1 << bits.length; index += 1) {
    const honest = new Set(bits.filter((_, at) => (index >> at) & 1).map((bit) => names[bit] ?? ''));
    table.push(remarkHolds(remark, names, honest));
  }
  return (mask) => table[bits.reduce((sum, bit, at) => sum | (((mask >> bit) & 1) << at), 0)] ?? false;
}
