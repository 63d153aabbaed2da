/** The grader of a regular expression. */
import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { normalizeText } from '#runtime/normalize-text.ts';
import { compileExpression, type LinearExpression } from '../linear-expression.ts';
import { maxExpressionCharacters } from '../limits.ts';
import { plainForm, quoteText } from '../text-forms.ts';
import { TooMuchWorkError, type WorkBudget } from '../work-budget.ts';
import { grader, verdict } from './grader.ts';
import { hiddenNote } from './text-fields.ts';

const flagValues = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL } as const;

function withFlags(source: string, flags: string, work: WorkBudget): LinearExpression {
  let value = 0;
  for (const flag of flags) value |= flagValues[flag as keyof typeof flagValues]; // The schema allows only these.
  return compileExpression(normalizeText(source, 'NFC'), work, value);
}

/** Passes if the RE2 expression matches somewhere in the reply; `flags` are `i`, `m` and `s`. */
export const matches = grader({
  name: 'matches',
  findsAnywhere: true,
  stepsPerCharacter: 10,
  fields: {
    matches: Type.String({ minLength: 1, maxLength: maxExpressionCharacters }),
    flags: Type.Optional(Type.String({ pattern: '^[ims]{1,3}$', 'x-rule': 'consist of i, m and s' })),
  },
  check(spec, { fault, work }) {
    try {
      withFlags(spec.matches, spec.flags ?? '', work);
      return [];
    } catch (cause) {
      if (cause instanceof TooMuchWorkError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      return fault(
        `\`matches\` must be an RE2 expression, which has no look-around and no back-references: ${reason.slice(0, 200)}.`,
        'matches',
      );
    }
  },
  prepare(spec, _inner, prepareWork) {
    const expression = withFlags(spec.matches, spec.flags ?? '', prepareWork);
    return ({ text }, { work }) => {
      const reply = plainForm(text);
      const found = expression.find(reply, work);
      return verdict(
        found !== null,
        `a match of /${spec.matches}/${spec.flags ?? ''}`,
        found === null ? `none${hiddenNote(reply)}` : quoteText(found),
      );
    };
  },
});
