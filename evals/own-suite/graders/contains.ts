/** The graders of texts that stand somewhere in the reply. */
import type { Fault } from '../fault.ts';
import { hasText } from '../find-text.ts';
import { comparable, type Ignorable, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { type Grade, grader, type GraderPlace, verdict } from './grader.ts';
import { hiddenNote, spendOn, Text, Texts, ignoring } from './text-fields.ts';

function search(
  texts: readonly string[],
  ignore: readonly Ignorable[],
  quantifier: 'all' | 'any',
  prepareWork: WorkBudget,
): Grade {
  spendOn(texts, prepareWork);
  const wanted = texts.map((text) => comparable(text, ignore));
  const expected = `${quantifier === 'all' && texts.length > 1 ? 'all of ' : texts.length > 1 ? 'any of ' : ''}${texts.map(quoteText).join(', ')}`;
  return ({ text }, { work }) => {
    const reply = comparable(text, ignore);
    const present = wanted.map((part) => hasText(reply, part, work));
    const passed = quantifier === 'all' ? present.every(Boolean) : present.some(Boolean);
    const found = texts.filter((_, at) => present[at] === true);
    const shown = found.length === 0 ? 'none of it' : found.map(quoteText).join(', ');
    return verdict(passed, expected, passed ? shown : `${shown}${hiddenNote(reply)}`);
  };
}

/** An empty text would be in every reply. */
function findBlank(
  texts: readonly string[],
  ignore: readonly Ignorable[] | undefined,
  field: string,
  { fault, work }: GraderPlace,
): readonly Fault[] {
  spendOn(texts, work);
  const blank = texts.find((text) => comparable(text, ignore) === '');
  if (blank === undefined) return [];
  return fault(`There is nothing to look for in ${quoteText(blank)}, so every reply would pass.`, field);
}

/** Passes if the reply contains the text. */
export const contains = grader({
  name: 'contains',
  findsAnywhere: true,
  stepsPerCharacter: 10,
  fields: { contains: Text, ...ignoring },
  check: (spec, at) => findBlank([spec.contains], spec.ignore, 'contains', at),
  prepare: (spec, _inner, work) => search([spec.contains], spec.ignore ?? [], 'all', work),
});

/** Passes if the reply contains all of the texts. */
export const containsAll = grader({
  name: 'contains_all',
  findsAnywhere: true,
  stepsPerCharacter: 10,
  fields: { contains_all: Texts, ...ignoring },
  check: (spec, at) => findBlank(spec.contains_all, spec.ignore, 'contains_all', at),
  prepare: (spec, _inner, work) => search(spec.contains_all, spec.ignore ?? [], 'all', work),
});

/** Passes if the reply contains at least one of the texts. */
export const containsAny = grader({
  name: 'contains_any',
  findsAnywhere: true,
  stepsPerCharacter: 10,
  fields: { contains_any: Texts, ...ignoring },
  check: (spec, at) => findBlank(spec.contains_any, spec.ignore, 'contains_any', at),
  prepare: (spec, _inner, work) => search(spec.contains_any, spec.ignore ?? [], 'any', work),
});
