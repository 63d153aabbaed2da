/** What the graders that compare texts share. */
import { Type } from 'typebox';
import { hiddenIn, Ignore } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';

export const Text = Type.String({ minLength: 1, maxLength: 20_000 });
export const Texts = Type.Array(Text, { minItems: 1, maxItems: 100 });

export const ignoring = { ignore: Type.Optional(Ignore) };

/** Steps of a character that is brought into the form in which texts are compared. */
const formSteps = 8;

export function spendOn(texts: readonly string[], work: WorkBudget): void {
  work.spend(formSteps * texts.reduce((sum, text) => sum + 1 + text.length, 0));
}

export function hiddenNote(reply: string): string {
  const note = hiddenIn(reply);
  return note === '' ? '' : ` in a reply${note}`;
}
