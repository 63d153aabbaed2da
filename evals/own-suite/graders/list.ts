/** The grader of a list of items. */
import { Type } from 'typebox';
import { isNumber, Numeric, parseExactJson, textOf } from '../exact-json.ts';
import { comparable, comparableNumber, Ignore, quoteText } from '../text-forms.ts';
import { grader, unclear, verdict } from './grader.ts';
import { bare, readAnswer, readItems } from './read-answer.ts';
import { spokenText } from './spoken.ts';

const maxItems = 500;

/** Passes if the items of the list in the reply are these; `order: any` and `extra: allow` relax it. */
export const list = grader({
  name: 'list',
  stepsPerCharacter: 40,
  fields: {
    list: Type.Array(Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Numeric]), {
      minItems: 1,
      maxItems,
    }),
    order: Type.Optional(Type.Enum(['same', 'any'])),
    extra: Type.Optional(Type.Enum(['refuse', 'allow'])),
    ignore: Type.Optional(Ignore),
  },
  prepare(spec) {
    const given = spec.list.map(textOf);
    // Texts such as `3.10` are versions or codes, unless the list has numbers.
    const form = spec.list.some(isNumber) ? comparableNumber : comparable;
    const wanted = given.map((item) => form(item, spec.ignore));
    const expected = `${given.length} items${spec.order === 'any' ? ' in any order' : ''}: ${quoteText(given.join(', '))}`;
    const isSame = spec.order === 'any' ? sameBag : sameRow;
    return ({ text }) => {
      const spoken = spokenText(text);
      const readings = itemsIn(spoken);
      if (readings.length === 0 && spoken !== '') return unclear(expected, 'no clear list');
      const passed = readings.some((items) =>
        isSame(
          items.map((item) => form(item, spec.ignore)),
          wanted,
          spec.extra === 'allow',
        ),
      );
      const [found] = readings;
      return verdict(passed, expected, found === undefined ? 'no list' : quoteText(found.join(', ')));
    };
  },
});

function sameRow(found: readonly string[], wanted: readonly string[], extra: boolean): boolean {
  if (!extra) return found.length === wanted.length && found.every((item, at) => item === wanted[at]);
  let at = 0;
  for (const item of found) if (item === wanted[at]) at += 1;
  return at === wanted.length;
}

function sameBag(found: readonly string[], wanted: readonly string[], extra: boolean): boolean {
  if (!extra && found.length !== wanted.length) return false;
  const left = new Map<string, number>();
  for (const item of found) left.set(item, (left.get(item) ?? 0) + 1);
  return wanted.every((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count > 0;
  });
}

/** The line above a list of what is not the answer. */
const denial =
  /^\W{0,9}(?:none of (?:these|those|them|the following)|(?:neither\b|(?:not|all (?:but|except)|everyone (?:but|except)) (?:these|those|them|the following)\b)[^\n]{0,80}):\W{0,3}$/im;
const marker = /^\s{0,8}(?:[-*•+–]|\(?\d{1,3}[.):])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/** An answer such as `see the list above`. */
const pointsAbove = /^[^,;\n]*\babove$/i;

/**
 * The items of a JSON array, of marked lines, or of the answer, in each way in which they can be read. Lines before an
 * answer that is marked as such are no part of it, unless it points to them.
 */
function itemsIn(text: string): readonly (readonly string[])[] {
  const json = text.replace(/^```\w*\n|\n```$/g, '').trim();
  if (json.startsWith('[') && json.length < 100_000) {
    try {
      const value: unknown = parseExactJson(json);
      if (Array.isArray(value) && value.every((item) => typeof item === 'string' || isNumber(item)))
        return [value.map(textOf)];
    } catch {
      // Not JSON: read below.
    }
  }
  const answer = readAnswer(text);
  const own = answer !== null && pointsAbove.test(answer.text) ? text : text.slice(answer?.from);
  if (denial.test(own)) return [];
  const marked = own.split('\n').flatMap((line) => marker.exec(line)?.[1]?.trim() ?? []);
  if (marked.length > 1) return [marked, marked.map(bare)];
  if (answer === null) return [];
  // A marked line with one item, or a line of several.
  return readItems(marker.exec(answer.text)?.[1] ?? answer.text);
}
