/** The grader of a number that stands in the reply. */
import { Type } from 'typebox';
import { isWithin } from '../decimal.ts';
import { decimalIn, decimalOf, Numeric, writeExactJson } from '../exact-json.ts';
import { findNumbers } from '../find-numbers.ts';
import { quoteText } from '../text-forms.ts';
import { grader, unclear, verdict } from './grader.ts';
import { spokenText, withoutQuestions } from './spoken.ts';

/**
 * Passes if the one number in the reply, with its sign and its scale, lies `within` (absolute) or `within_percent` of
 * it, bounds included; with `last: true` the last of several; `decimal: comma` reads 1.234,5; with `percent: true`, 15
 * % is 15.
 */
export const number = grader({
  name: 'number',
  stepsPerCharacter: 20,
  fields: {
    number: Numeric,
    within: Type.Optional(Type.Number({ minimum: 0 })),
    within_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    last: Type.Optional(Type.Boolean()),
    decimal: Type.Optional(Type.Enum(['point', 'comma'])),
    percent: Type.Optional(Type.Boolean()),
  },
  check(spec, { fault }) {
    if (decimalIn(spec.number) === null) return fault('`number` must be a finite number.', 'number');
    return spec.within !== undefined && spec.within_percent !== undefined
      ? fault('`number` takes `within` or `within_percent`, not both.')
      : [];
  },
  prepare(spec) {
    const wanted = decimalOf(spec.number);
    const tolerance =
      spec.within_percent === undefined
        ? { within: decimalOf(spec.within ?? 0) }
        : { percent: decimalOf(spec.within_percent) };
    const shown = `${writeExactJson(spec.number)}${spec.percent === true ? ' %' : ''}`;
    const reach = spec.within_percent === undefined ? (spec.within ?? 0) : `${spec.within_percent} %`;
    const expected = reach === 0 ? shown : `${shown} within ${reach}`;
    return ({ text }) => {
      const numbers = findNumbers(withoutQuestions(spokenText(text)), spec);
      const chosen = numbers.read(-1);
      if (chosen === undefined) return verdict(false, expected, 'no number');
      if (spec.last !== true && numbers.count > 1) return unclear(expected, `${numbers.count} numbers`);
      if (chosen.value === null)
        return unclear(expected, `${quoteText(chosen.text)}, which is not one clear number`);
      return verdict(isWithin(chosen.value, wanted, tolerance), expected, chosen.text);
    };
  },
});
