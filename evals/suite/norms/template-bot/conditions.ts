/** The conditions on words and goods that a text may name. */

export interface Item {
  readonly name: string;
  readonly crates: number;
  readonly hall: string;
  readonly owner: string;
}

type Test = (item: Item) => boolean;

const forms: readonly (readonly [pattern: RegExp, make: (groups: readonly string[]) => Test])[] = [
  [
    /(?:have |with )?at least (\d+) letters/g,
    (g) =>
      ({ name }) =>
        name.length >= Number(g[1]),
  ],
  [
    /(?:have |with )?at most (\d+) letters/g,
    (g) =>
      ({ name }) =>
        name.length <= Number(g[1]),
  ],
  [
    /fewer than (\d+) letters/g,
    (g) =>
      ({ name }) =>
        name.length < Number(g[1]),
  ],
  [
    /more than (\d+) letters/g,
    (g) =>
      ({ name }) =>
        name.length > Number(g[1]),
  ],
  [
    /exactly (\d+) letters/g,
    (g) =>
      ({ name }) =>
        name.length === Number(g[1]),
  ],
  [
    /an? (even|odd) number of letters/g,
    (g) =>
      ({ name }) =>
        (name.length % 2 === 0) === (g[1] === 'even'),
  ],
  [
    /end in a vowel/g,
    () =>
      ({ name }) =>
        /[aeiou]$/.test(name),
  ],
  [
    /(?:begin|start) with a vowel/g,
    () =>
      ({ name }) =>
        /^[aeiou]/.test(name),
  ],
  [
    /(?:end in|end with) "(\w+)"/g,
    (g) =>
      ({ name }) =>
        name.endsWith(g[1] ?? ''),
  ],
  [
    /(?:begin|start) with "(\w+)"/g,
    (g) =>
      ({ name }) =>
        name.startsWith(g[1] ?? ''),
  ],
  [
    /begin with a letter from (\w) to (\w)/g,
    (g) =>
      ({ name }) =>
        name >= (g[1] ?? '') && name.charAt(0) <= (g[2] ?? ''),
  ],
  [
    /contain the letter "(\w)"/g,
    (g) =>
      ({ name }) =>
        name.includes(g[1] ?? ''),
  ],
  [
    /in hall ([A-Z])(?:(?:, ([A-Z]))* or ([A-Z]))?/g,
    (g) =>
      ({ hall }) =>
        (g[0] ?? '')
          .slice(8)
          .split(/, | or /)
          .includes(hall),
  ],
  [
    /belong to ((?:[A-Z]\w+, )*[A-Z]\w+(?: or [A-Z]\w+)?)/g,
    (g) =>
      ({ owner }) =>
        (g[1] ?? '').split(/, | or /).includes(owner),
  ],
  [
    /at least (\d+) crates/g,
    (g) =>
      ({ crates }) =>
        crates >= Number(g[1]),
  ],
  [
    /(?:fewer|less) than (\d+) crates/g,
    (g) =>
      ({ crates }) =>
        crates < Number(g[1]),
  ],
  [
    /more than (\d+) crates/g,
    (g) =>
      ({ crates }) =>
        crates > Number(g[1]),
  ],
  [
    /at most (\d+) crates/g,
    (g) =>
      ({ crates }) =>
        crates <= Number(g[1]),
  ],
];

/** All conditions that a text names, as one test. */
export function condition(text: string): Test {
  const tests = forms.flatMap(([pattern, make]) =>
    [...text.matchAll(pattern)].map((match): Test => {
      const test = make(match.map((group) => group ?? ''));
      const negated = /\b(do not|are not|not) $/.test(text.slice(0, match.index));
      return negated ? (item) => !test(item) : test;
    }),
  );
  return (item) => tests.every((test) => test(item));
}
