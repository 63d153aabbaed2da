/** The grader of the similarity to a text. */
import { distance } from 'fastest-levenshtein';
import { Type } from 'typebox';
import { comparable, quoteText } from '../text-forms.ts';
import { grader, unclear, verdict } from './grader.ts';
import { spendOn, ignoring } from './text-fields.ts';

/** Both measures compare every part with every other, so longer texts are not compared. */
const maxComparedCharacters = 8_000;
const maxComparedWords = 1_500;
/** Pairs of characters that one step compares, or of words of half as many. */
const pairsPerStep = 8;

/**
 * Passes if the similarity to one of the texts in `to` (ROUGE-1 or ROUGE-L over words, or edit similarity) is at least
 * `at_least`, or `edit` needs `at_most` edits.
 */
export const similar = grader({
  name: 'similar',
  stepsPerCharacter: 8,
  fields: {
    similar: Type.Enum(['rouge-1', 'rouge-l', 'edit']),
    to: Type.Array(Type.String({ minLength: 1, maxLength: maxComparedCharacters }), {
      minItems: 1,
      maxItems: 10,
    }),
    at_least: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    at_most: Type.Optional(Type.Integer({ minimum: 0, maximum: maxComparedCharacters })),
    ...ignoring,
  },
  check: (spec, { fault }) =>
    (spec.at_least === undefined) === (spec.at_most === undefined) ||
    (spec.at_most !== undefined && spec.similar !== 'edit')
      ? fault('`similar` needs `at_least`; only `edit` may have `at_most` instead, a number of edits.')
      : [],
  prepare(spec, _inner, prepareWork) {
    const { at_least: least = 0, at_most: most } = spec;
    const measure = measures[spec.similar];
    spendOn(spec.to, prepareWork);
    const wanted = spec.to.map((text) => comparable(text, spec.ignore));
    const limit = most === undefined ? `a similarity of at least ${least}` : `at most ${most} edits`;
    const expected = `${limit} (${spec.similar}) to ${spec.to.map(quoteText).join(' or ')}`;
    return ({ text }, { work }) => {
      const reply = comparable(text, spec.ignore);
      if (reply.length > maxComparedCharacters)
        return unclear(expected, `a reply of more than ${maxComparedCharacters} characters`);
      for (const { length } of wanted) work.spend((reply.length * length) / pairsPerStep);
      if (most !== undefined) {
        const edits = Math.min(...wanted.map((other) => distance(reply, other)));
        return verdict(edits <= most, expected, `${edits} edits`);
      }
      const best = Math.max(...wanted.map((other) => measure(reply, other)));
      // Quotients are rounded: 1 of 5 is 0.2.
      return verdict(best >= least - 1e-9, expected, `a similarity of ${best.toFixed(3)}`);
    };
  },
});

function editSimilarity(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  return longest === 0 ? 1 : 1 - distance(one, other) / longest;
}

/** The F-measure of the longest common subsequence of words (C.-Y. Lin, 2004, with β = 1). */
function rougeL(one: string, other: string): number {
  const words = one.match(/\S+/g)?.slice(0, maxComparedWords) ?? [];
  const others = other.match(/\S+/g)?.slice(0, maxComparedWords) ?? [];
  if (words.length === 0 || others.length === 0) return 0;
  let row = new Uint16Array(others.length + 1);
  for (const word of words) {
    const next = new Uint16Array(others.length + 1);
    for (let at = 1; at <= others.length; at += 1) {
      next[at] = word === others[at - 1] ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0);
    }
    row = next;
  }
  return (2 * (row[others.length] ?? 0)) / (words.length + others.length);
}

/** The F-measure of the words and marks that both have (C.-Y. Lin, 2004, with β = 1). */
function rouge1(one: string, other: string): number {
  const words = one.match(wordOrMark) ?? [];
  const others = other.match(wordOrMark) ?? [];
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  let both = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count > 0) both += 1;
    left.set(word, count - 1);
  }
  return both === 0 ? 0 : (2 * both) / (words.length + others.length);
}

const wordOrMark = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

const measures = { 'rouge-1': rouge1, 'rouge-l': rougeL, edit: editSimilarity } as const;
