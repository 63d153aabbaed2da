/**
 * Knights and knaves: knights always tell the truth, knaves always lie. A generator of puzzles and a solver.
 */
import type { Random } from '../../random.ts';

/** What one person says. People are numbered from 0. */
export type Claim =
  | { readonly says: 'kind'; readonly of: number; readonly knight: boolean }
  | { readonly says: 'same'; readonly first: number; readonly second: number; readonly same: boolean }
  | { readonly says: 'count'; readonly knights: number }
  | { readonly says: 'either'; readonly first: number; readonly second: number };

/** `claims[i]` is what person i says. */
export interface KnightsPuzzle {
  readonly claims: readonly Claim[];
  /** Whether person i is a knight. */
  readonly solution: readonly boolean[];
}

export function isTrue(claim: Claim, knights: readonly boolean[]): boolean {
  switch (claim.says) {
    case 'kind':
      return knights[claim.of] === claim.knight;
    case 'same':
      return (knights[claim.first] === knights[claim.second]) === claim.same;
    case 'count':
      return knights.filter(Boolean).length === claim.knights;
    case 'either':
      return knights[claim.first] === true || knights[claim.second] === true;
  }
}

/** Every assignment under which exactly the claims of the knights are true. */
export function solveKnights(claims: readonly Claim[]): boolean[][] {
  const solutions: boolean[][] = [];
  for (let code = 0; code < 2 ** claims.length; code += 1) {
    const knights = claims.map((_, person) => ((code >> person) & 1) === 1);
    if (claims.every((claim, person) => isTrue(claim, knights) === knights[person])) solutions.push(knights);
  }
  return solutions;
}

/** A puzzle with exactly one solution, in which there are a knight and a knave. */
export function makeKnightsPuzzle(random: Random, people: number, attempts: number): KnightsPuzzle {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const claims = Array.from({ length: people }, (_, person) => makeClaim(random, people, person));
    const solutions = solveKnights(claims);
    const [solution] = solutions;
    if (solutions.length !== 1 || solution === undefined) continue;
    if (solution.includes(true) && solution.includes(false)) return { claims, solution };
  }
  throw new Error('No knights-and-knaves puzzle with one solution was found.');
}

function makeClaim(random: Random, people: number, speaker: number): Claim {
  const everyone = Array.from({ length: people }, (_, person) => person);
  const [first = 0, second = 1] = random.shuffle(everyone.filter((person) => person !== speaker));
  switch (random.pick(['kind', 'kind', 'same', 'same', 'count', 'either'] as const)) {
    case 'kind':
      return { says: 'kind', of: first, knight: random.chance(0.4) };
    case 'same':
      return { says: 'same', first, second: people > 2 ? second : speaker, same: random.chance(0.5) };
    case 'count':
      return { says: 'count', knights: random.int(1, people - 1) };
    case 'either':
      return { says: 'either', first, second };
  }
}
