/** The graders of the reply, or of the answer in it, as a whole. */
import { Type } from 'typebox';
import { comparable, hiddenIn, type Ignorable, lookAlike, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { type Grade, grader, unclear, verdict } from './grader.ts';
import { readAnswer } from './read-answer.ts';
import { spokenText } from './spoken.ts';
import { spendOn, Text, Texts, ignoring } from './text-fields.ts';

/** `read: answer` compares what a label such as `Answer:` marks, or the last line, instead of the whole reply. */
const Read = Type.Optional(Type.Literal('answer'));

function compareWhole(
  accepted: readonly string[],
  ignore: readonly Ignorable[],
  read: 'answer' | undefined,
  prepareWork: WorkBudget,
): Grade {
  spendOn(accepted, prepareWork);
  const wanted = accepted.map((text) => comparable(text, ignore));
  const expected = accepted.map(quoteText).join(' or ');
  return ({ text }) => {
    const candidates = read === 'answer' ? answersIn(text) : [text];
    if (candidates === null) return unclear(expected, 'no clear answer');
    const found = candidates.map((candidate) => comparable(candidate, ignore));
    const passed = found.some((candidate) => wanted.includes(candidate));
    const [first = ''] = candidates;
    // The form of the candidate that is shown.
    const difference = passed ? '' : closest(wanted, found[0] ?? '');
    return verdict(passed, expected, `${quoteText(first)}${difference}`);
  };
}

/** How the found text differs from one of the wanted ones in what cannot be seen. */
function closest(wanted: readonly string[], found: string): string {
  for (const each of wanted) {
    const difference = lookAlike(each, found);
    if (difference !== '') return difference;
  }
  return hiddenIn(found);
}

/** The answer in a reply, and the whole of it; null if the answer is not clear. */
function answersIn(text: string): readonly string[] | null {
  const spoken = spokenText(text);
  const answer = readAnswer(spoken);
  if (answer === null) return spoken === '' ? [spoken] : null;
  return [answer.text, spoken];
}

/** Passes if the reply, or with `read: answer` the answer in it, is the text. */
export const equals = grader({
  name: 'equals',
  stepsPerCharacter: 10,
  fields: { equals: Text, read: Read, ...ignoring },
  prepare: (spec, _inner, work) => compareWhole([spec.equals], spec.ignore ?? [], spec.read, work),
});

/** Passes if the reply, or with `read: answer` the answer in it, is one of the texts. */
export const oneOf = grader({
  name: 'one_of',
  stepsPerCharacter: 10,
  fields: { one_of: Texts, read: Read, ...ignoring },
  prepare: (spec, _inner, work) => compareWhole(spec.one_of, spec.ignore ?? [], spec.read, work),
});
