/** Solves the puzzles again by methods other than those of the generators. */
import { describe, expect, test } from 'bun:test';
import { generateCases } from '#domain/eval-suite/index.ts';
import type { EvalCase } from '#domain/eval-suite/index.ts';
import { greatestCommonDivisor } from '#domain/eval-suite/categories/arithmetic/make-divisors.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import { makeKnightsPuzzle, solveKnights } from '#domain/eval-suite/categories/reasoning/knights.ts';
import { earliestFinishes } from '#domain/eval-suite/categories/reasoning/make-project.ts';
import { permutations } from '#domain/eval-suite/categories/reasoning/slots.ts';
import { makeRoads, findShortestRoute } from '#domain/eval-suite/categories/reasoning/roads.ts';
import { clueHolds, makeSlots, solveSlots } from '#domain/eval-suite/categories/reasoning/slots.ts';
import { drawSeeds } from './draw-seeds.ts';

const streams = drawSeeds('solvers', 100).map((seed) => createRandom(seed, 'solvers'));
const cases = drawSeeds('solved cases', 60).flatMap((seed) => generateCases(seed));

function casesOfKind(kind: string): EvalCase[] {
  return cases.filter((evalCase) => evalCase.kind === kind);
}

describe('knights and knaves', () => {
  test('a generated puzzle has exactly one solution, with both kinds of speaker in it', () => {
    for (const random of streams) {
      const puzzle = makeKnightsPuzzle(random, random.int(3, 6), 1_000);
      expect(solveKnights(puzzle.claims)).toEqual([[...puzzle.solution]]);
      expect(new Set(puzzle.solution).size).toBe(2);
    }
  });

  test('the solver solves the classic puzzles', () => {
    expect(
      solveKnights([
        { says: 'same', first: 0, second: 1, same: true },
        { says: 'kind', of: 0, knight: false },
      ]),
    ).toEqual([[false, true]]);
    expect(solveKnights([{ says: 'kind', of: 0, knight: false }])).toEqual([]);
    expect(solveKnights([{ says: 'kind', of: 0, knight: true }])).toHaveLength(2);
    expect(
      solveKnights([
        { says: 'count', knights: 1 },
        { says: 'count', knights: 2 },
        { says: 'either', first: 0, second: 1 },
      ]),
    ).toEqual([
      [false, false, false],
      [false, true, true],
    ]);
  });

  test('the prompt matches the input of the solver', () => {
    for (const evalCase of casesOfKind('knights-and-knaves')) {
      const says = [...evalCase.prompt.matchAll(/^(\w+) says: "(.+)"$/gm)].map(
        ([, name = '', claim = '']) => ({ name, claim }),
      );
      const names = says.map(({ name }) => name);
      const solutions = Array.from({ length: 2 ** names.length }, (_, code) =>
        names.filter((_name, person) => (code >> person) & 1),
      ).filter((knights) =>
        says.every(({ name, claim }) => readClaim(claim, knights) === knights.includes(name)),
      );
      expect(solutions.map((knights) => knights.join(', '))).toEqual([evalCase.expected]);
    }
  });
});

function readClaim(claim: string, knights: readonly string[]): boolean {
  const kind = /^(\w+) is a (knight|knave)\.$/.exec(claim);
  if (kind) return knights.includes(kind[1]!) === (kind[2] === 'knight');
  const same = /^(\w+) and (\w+) are of (the same sort|different sorts)\.$/.exec(claim);
  if (same)
    return (knights.includes(same[1]!) === knights.includes(same[2]!)) === (same[3] === 'the same sort');
  const count = /^Exactly (\d+) of us/.exec(claim);
  if (count) return knights.length === Number(count[1]);
  const either = /^(\w+) is a knight or (\w+) is a knight, or both are\.$/.exec(claim);
  if (either) return knights.includes(either[1]!) || knights.includes(either[2]!);
  throw new Error(`Nobody can read "${claim}".`);
}

describe('shortest paths', () => {
  test('a generated map has exactly one shortest route, as Floyd–Warshall computes it', () => {
    for (const random of streams) {
      const towns = random.int(5, 9);
      const { roads, route } = makeRoads(random, towns, 3, 1_000);
      const far = Array.from({ length: towns }, (_, a) =>
        Array.from({ length: towns }, (_unused, b) => (a === b ? 0 : Infinity)),
      );
      for (const { from, to, length } of roads) {
        far[from]![to] = Math.min(far[from]![to]!, length);
        far[to]![from] = Math.min(far[to]![from]!, length);
      }
      for (let via = 0; via < towns; via += 1)
        for (let a = 0; a < towns; a += 1)
          for (let b = 0; b < towns; b += 1)
            far[a]![b] = Math.min(far[a]![b]!, far[a]![via]! + far[via]![b]!);
      expect(route.length).toBe(far[0]![towns - 1]!);
      expect(route.routes).toBe(1);
      expect(route.towns.at(0)).toBe(0);
      expect(route.towns.at(-1)).toBe(towns - 1);
      const along = route.towns.slice(1).map((town, step) => far[route.towns[step]!]![town]!);
      expect(along.reduce((sum, length) => sum + length, 0)).toBe(route.length);
    }
  });

  test('equally short routes are counted, and a missing route gives none', () => {
    const square = [
      { from: 0, to: 1, length: 2 },
      { from: 1, to: 3, length: 2 },
      { from: 0, to: 2, length: 1 },
      { from: 2, to: 3, length: 3 },
    ];
    expect(findShortestRoute(square, 0, 3)).toMatchObject({ length: 4, routes: 2 });
    expect(findShortestRoute(square.slice(0, 1), 0, 3)).toBeNull();
  });
});

describe('timetables', () => {
  test('generated clues allow exactly one order, and each of them excludes some order', () => {
    for (const random of streams) {
      const talks = random.int(4, 6);
      const { clues, order } = makeSlots(random, talks, 1_000);
      expect(solveSlots(talks, clues)).toEqual([order]);
      const all = permutations(order);
      for (const clue of clues)
        expect(all.filter((other) => clueHolds(clue, other)).length).toBeLessThan(all.length);
    }
  });

  test.each([
    [{ says: 'before', first: 0, second: 2 }, true],
    [{ says: 'before', first: 2, second: 0 }, false],
    [{ says: 'right-after', first: 1, second: 0 }, true],
    [{ says: 'right-after', first: 1, second: 2 }, false],
    [{ says: 'apart', first: 1, second: 2, between: 1 }, true],
    [{ says: 'apart', first: 2, second: 1, between: 0 }, false],
    [{ says: 'not-at', talk: 0, place: 0 }, true],
    [{ says: 'not-at', talk: 0, place: 1 }, false],
    [{ says: 'neither-end', talk: 0 }, true],
    [{ says: 'neither-end', talk: 1 }, false],
    [{ says: 'neither-end', talk: 3 }, false],
  ] as const)('%j of the order 1, 0, 2, 3 is %p', (clue, holds) => {
    expect(clueHolds(clue, [1, 0, 2, 3])).toBe(holds);
  });

  test('permutations are complete, without repeats', () => {
    expect(permutations([1, 2, 3])).toEqual([
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ]);
    expect(new Set(permutations([0, 1, 2, 3, 4, 5]).map(String)).size).toBe(720);
  });
});

describe('projects', () => {
  test('each part waits for everything it depends on', () => {
    expect(
      earliestFinishes([
        { days: 3, after: [] },
        { days: 5, after: [] },
        { days: 2, after: [0, 1] },
        { days: 1, after: [0] },
      ]),
    ).toEqual([3, 5, 7, 4]);
  });
});

describe('arithmetic', () => {
  test('divisors: trial division of the numbers in the prompt gives the answer', () => {
    for (const kind of ['gcd', 'lcm']) {
      const cases = casesOfKind(kind);
      expect(cases.length).toBeGreaterThan(5);
      for (const evalCase of cases) {
        const list = /(\d+(?: cm)?(?:, \d+(?: cm)?)*,? and \d+)/.exec(evalCase.prompt)?.[1] ?? '';
        const numbers = [...list.matchAll(/\d+/g)].map(Number);
        const answer = Number(evalCase.expected);
        if (kind === 'gcd') {
          const common = Array.from({ length: Math.min(...numbers) }, (_, less) => less + 1).filter(
            (divisor) => numbers.every((number) => number % divisor === 0),
          );
          expect(answer).toBe(Math.max(...common));
        } else {
          expect(numbers.every((number) => answer % number === 0)).toBe(true);
          const step = Math.max(...numbers);
          for (let smaller = step; smaller < answer; smaller += step) {
            expect(numbers.every((number) => smaller % number === 0)).toBe(false);
          }
        }
      }
    }
    expect(greatestCommonDivisor(84, 126)).toBe(42);
    expect(greatestCommonDivisor(7, 0)).toBe(7);
  });

  test('bases: the answer has the value of the numeral in the prompt', () => {
    for (const evalCase of casesOfKind('base')) {
      const bases = [...evalCase.prompt.matchAll(/base (\d+)/g)].map(([, base]) => Number(base));
      const [from = 10, to = 10] = bases;
      const source = /(?:reads|number|shows) ([0-9A-F]+)\b/.exec(evalCase.prompt)![1]!;
      expect({ prompt: evalCase.prompt, value: Number.parseInt(evalCase.expected, to) }).toEqual({
        prompt: evalCase.prompt,
        value: Number.parseInt(source, from),
      });
    }
  });

  test('calendar: dates and distances match counting day by day', () => {
    for (const evalCase of casesOfKind('calendar-distance').slice(0, 20)) {
      const [first = '', last = ''] = evalCase.prompt.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
      const day = new Date(`${first}T00:00:00Z`);
      let days = 0;
      while (day.toISOString().slice(0, 10) !== last && days < 10_000) {
        day.setUTCDate(day.getUTCDate() + 1);
        days += 1;
      }
      expect(String(days)).toBe(evalCase.expected);
    }
  });
});
