/**
 * Compares the public kinds of a run with those of its private pack. A gap suggests that the agent was built around the
 * public ones.
 */
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { roundToTenth } from './round-to-tenth.ts';
import type { ScoreJson } from './scorecard/score-json-schema.ts';

const gapP = 0.01;

export function compareKinds(results: readonly StoredCase[]): ScoreJson['kinds'] {
  const unseen = results.filter((result) => result.unseen === true);
  const known = results.filter((result) => result.unseen !== true);
  if (unseen.length === 0) return { known: tally(known), unseen: null, gap: false, p: null };
  // Categories differ in difficulty, so only those of the pack are compared, unless they have far too few public cases.
  const names = new Set(unseen.map(({ category }) => category));
  const ofPack = known.filter(({ category }) => names.has(category));
  const alike = 2 * ofPack.length < unseen.length ? known : ofPack;
  const p = fisherP(passes(alike), alike.length, passes(unseen), unseen.length);
  const better = passes(alike) * unseen.length > passes(unseen) * alike.length;
  return {
    known: tally(known),
    unseen: tally(unseen),
    gap: better && p < gapP,
    p: Number(p.toPrecision(3)),
  };
}

/**
 * The two-sided p-value of Fisher's exact test: the probability of a table at most as likely as this one, if both
 * groups pass at the same rate.
 */
export function fisherP(passed: number, cases: number, otherPassed: number, otherCases: number): number {
  const total = passed + otherPassed;
  const lowest = Math.max(0, total - otherCases);
  const highest = Math.min(total, cases);
  const logOf = (own: number) => logChoose(cases, own) + logChoose(otherCases, total - own);
  const all = logChoose(cases + otherCases, total);
  const limit = logOf(passed) + 1e-9;
  let p = 0;
  for (let own = lowest; own <= highest; own += 1) if (logOf(own) <= limit) p += Math.exp(logOf(own) - all);
  return Math.min(1, p);
}

function logChoose(of: number, taken: number): number {
  let sum = 0;
  for (let factor = 1; factor <= taken; factor += 1) sum += Math.log((of - taken + factor) / factor);
  return sum;
}

function passes(results: readonly StoredCase[]): number {
  return results.filter(({ status }) => status === 'passed').length;
}

function tally(results: readonly StoredCase[]): { score: number; cases: number } {
  const share = results.reduce((sum, { score }) => sum + score, 0) / Math.max(1, results.length);
  return { score: roundToTenth(100 * share), cases: results.length };
}
