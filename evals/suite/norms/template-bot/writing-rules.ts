/** Reads the rules of a writing task, with the later changes, into a plan. */

export interface Placed {
  readonly row: number;
  readonly at: number;
  readonly word: string;
}
export interface Plan {
  readonly rows: number;
  readonly names: readonly string[];
  readonly numbers: readonly string[];
  readonly lengths: (seed: number) => readonly number[];
  readonly letter: string;
  readonly letterCount: number;
  readonly avoid: string;
  readonly initial: string;
  readonly acrostic: string;
  readonly placed: readonly Placed[];
  readonly once: boolean;
  readonly chain: boolean;
  readonly alphabetical: boolean;
  readonly longest: number;
  readonly lastLength: number;
  readonly capitalRow: number;
  readonly markRow: number;
  readonly mark: string;
}

function currentRules(turns: readonly string[]): Map<string, string> {
  const rules = new Map<string, string>();
  for (const turn of turns) {
    for (const line of turn.split('\n')) {
      const first =
        /^([A-Z]|\d+)\. (.*)$/.exec(line) ??
        /^- (?:Rule ([A-Z]) now reads|New rule ([A-Z])): (.*)$/.exec(line);
      const dropped = /^- Rule ([A-Z]) no longer applies/.exec(line)?.[1];
      const single = /^One rule has to be followed: (.*)$/.exec(line)?.[1];
      if (first) rules.set(first[1] ?? first[2] ?? '', first.at(-1) ?? '');
      if (dropped) rules.delete(dropped);
      if (single) rules.set('one', single);
    }
  }
  return rules;
}

function currentNames(turns: readonly string[]): string[] {
  const head = (turns[0] ?? '').split('\n')[0] ?? '';
  const found =
    /mentions? ([A-Z]\w+) and ([A-Z]\w+)/.exec(head) ??
    /([A-Z]\w+) and ([A-Z]\w+) (?:have to|are mentioned|must)/.exec(head);
  let names = found ? [found[1] ?? '', found[2] ?? ''] : [];
  for (const match of turns
    .join('\n')
    .matchAll(/^- (\w+) must not be mentioned any more; mention (\w+) instead/gm)) {
    names = names.map((name) => (name === match[1] ? (match[2] ?? '') : name));
  }
  return names;
}

/** Different numbers with the given sum. */
function numbersFor(count: number, sum: number): string[] {
  const numbers: number[] = [];
  const middle = Math.floor(sum / Math.max(count, 1));
  for (let at = 0; at < count - 1; at += 1) numbers.push(middle - (count - 1 - at) * 2 + 1);
  numbers.push(sum - numbers.reduce((total, one) => total + one, 0));
  return count > 0 ? numbers.map(String) : [];
}

function lengthsFor(rows: number, total: number, growing: boolean, seed: number): number[] {
  const step = growing ? 1 : 0;
  const extra = (step * rows * (rows - 1)) / 2;
  const base = total > 0 ? Math.floor((total - extra) / rows) : 6 - step + (seed % 3);
  const lengths = Array.from({ length: rows }, (_, row) => base + step * row);
  let left = total > 0 ? total - lengths.reduce((sum, one) => sum + one, 0) : 0;
  for (let row = rows - 1; left > 0 && row >= 0; row -= 1, left -= 1) lengths[row] = (lengths[row] ?? 0) + 1;
  return lengths;
}

export function readPlan(turns: readonly string[]): Plan | undefined {
  const head = turns[0] ?? '';
  const rows = Number(/(\d+) lines/.exec(head.split('\n')[0] ?? '')?.[1] ?? '0');
  if (rows === 0 || !/A word is whatever stands between two spaces/.test(head)) return undefined;
  const rules = [...currentRules(turns).values()];
  const find = (pattern: RegExp): RegExpExecArray | undefined => {
    for (const rule of rules) {
      const match = pattern.exec(rule);
      if (match) return match;
    }
    return undefined;
  };
  const numbers = find(/exactly (\d+) numbers?, written in digits, and they add up to (\d+)/);
  const fixed = find(/^The lines have (.*?) words/)?.[1]
    ?.match(/\d+/g)
    ?.map(Number);
  const total = Number(find(/whole text has exactly (\d+) words/)?.[1] ?? '0');
  const growing = find(/more words than the line before/) !== undefined;
  const letter = find(/letter "(\w)" occurs exactly (\d+) times/);
  const ends = find(/Line (\d+) ends with an? (exclamation|question) mark/);
  const placed: Placed[] = [];
  for (const rule of rules) {
    const match = /The (\d+)\w\w word of line (\d+) is "(\w+)"/.exec(rule);
    if (match)
      placed.push({
        row: Number(match[2]) - 1,
        at: Number(match[1]) - 1,
        word: (match[3] ?? '').toLowerCase(),
      });
  }
  return {
    rows,
    names: currentNames(turns),
    numbers: numbers ? numbersFor(Number(numbers[1]), Number(numbers[2])) : [],
    lengths: (seed) => fixed ?? lengthsFor(rows, total, growing, seed),
    letter: letter?.[1] ?? '',
    letterCount: Number(letter?.[2] ?? '0'),
    avoid: find(/letter "(\w)" does not occur/)?.[1] ?? '',
    initial: find(/exactly one word that begins with "(\w)"/)?.[1] ?? '',
    acrostic: find(/first letters of the lines, read from top to bottom, spell "(\w+)"/)?.[1] ?? '',
    placed,
    once: find(/No word occurs twice/) !== undefined,
    chain: find(/begins with the last word of the line before/) !== undefined,
    alphabetical: find(/first words of the lines are all different and in alphabetical order/) !== undefined,
    longest: Number(find(/No word has more than (\d+) letters/)?.[1] ?? '99'),
    lastLength: Number(find(/last word of each line has exactly (\d+) letters/)?.[1] ?? '0'),
    capitalRow: Number(find(/Line (\d+) is written in capital letters only/)?.[1] ?? '0') - 1,
    markRow: Number(ends?.[1] ?? '0') - 1,
    mark: ends?.[2] === 'question' ? '?' : '!',
  };
}
