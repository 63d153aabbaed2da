import type { Category } from './category.ts';
import { generateCasesOf } from './generate-cases.ts';
import { collectGraders, gradeReplyWith } from './grade-reply.ts';
import { difficulties } from './language/spread-difficulties.ts';

/** Any seed will do: these mistakes show in every run. */
const sampleSeed = '0'.repeat(32);

/**
 * Checks the numbers that the categories declare, and the cases of one seed.
 *
 * @throws Error that names the category and the mistake
 */
export function checkSuite(categories: readonly Category[]): void {
  checkUnique(categories, 'name');
  checkUnique(categories, 'order');
  const total = categories.reduce((sum, { weight }) => sum + weight, 0);
  if (total !== 100) throw new Error(`The weights of the eval categories sum to ${total}, not 100.`);
  const graders = collectGraders(categories);
  const cases = generateCasesOf(categories, sampleSeed);
  for (const { name } of categories) {
    const own = cases.filter(({ category }) => category === name);
    const missing = difficulties.find((level) => own.every(({ difficulty }) => difficulty !== level));
    if (missing !== undefined) throw new Error(`Eval category ${name} has no ${missing} case.`);
  }
  for (const evalCase of cases) {
    if (gradeReplyWith(graders, evalCase, evalCase.expected).score !== 1) {
      throw new Error(`The expected reply of eval case ${evalCase.id} does not get the full score.`);
    }
  }
}

function checkUnique(categories: readonly Category[], key: 'name' | 'order'): void {
  const values = categories.map((category) => category[key]);
  const repeated = values.find((value, position) => values.indexOf(value) !== position);
  if (repeated !== undefined) throw new Error(`Two eval categories have the ${key} ${repeated}.`);
}
