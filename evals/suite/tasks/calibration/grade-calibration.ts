/**
 * Grades a list of answers, some of which must be `unknown`. A right answer counts +1, `unknown` 0 (+1 where it is
 * right) and a wrong answer -1.
 *
 * The sum is rescaled so that a perfect reply scores 1 and a reply of nothing but `unknown` scores 0. Mapping -1..1 to
 * 0..1 would give that reply at least half the score, and using 0..1 unchanged would give it the share of open
 * questions. With abstaining as the zero, an agent earns points only by knowing when to answer: answering everything
 * loses on the open questions what it gains on the others. Sums below that of abstaining count 0.
 */
import type { Check } from '../../eval-case.ts';
import { readAnswer } from '../../reader/read-answer.ts';
import { isLooselyRight } from '../../reader/same-answer.ts';
import type { TaskGrade } from '../../task.ts';

export const unknown = 'unknown';
/** Other words for it, in lower case. */
const abstentions =
  /^(?:unknown|undetermined|undecidable|unclear|unspecified|unstated|n\/a|(?:it )?cannot be (?:determined|known|answered|said)|insufficient (?:data|information))$/;
/** What the themes count; an answer may name it. Other words, such as "is wrong", are no units. */
const units =
  'sailors? crew(?:\\smembers)? crates? days? beds? guests? metres? meters? m bottles? pupils? children books? thalers? loaves|loaf sacks? trees? baskets? steps? litres? liters? l seats? costumes? performances? readers? maps? shelves miners? carts? rows? barrels? monks? manuscripts? nurses? windows? bales? horses? paintings? visitors? kilograms? kg masons? blocks? tickets? comets? nights? sheep'.replaceAll(
    ' ',
    '|',
  );
const numeral = new RegExp(`^(\\d{1,3}(?:[,_' ]\\d{3})|\\d{1,6})(?:\\.0)?(?: (?:${units}))?$`);
const maxShownCharacters = 200;

export function gradeCalibration(expected: readonly string[], reply: string): TaskGrade {
  const read = readAnswer(reply, 'list');
  const values = read.ok && typeof read.value !== 'string' ? read.value : null;
  if (values === null || values.length !== expected.length) {
    const found = values === null ? 'no list of answers' : `a list of ${values.length}`;
    const check = {
      name: 'one-answer-each',
      passed: false,
      message: `Expected ${expected.length} answers, found ${found}.`,
    };
    const unwrapped =
      !read.ok && read.reason === 'nothing of the right type' && isLooselyRight(read, expected);
    return {
      score: 0,
      passed: false,
      found: values === null ? null : shorten(values.join(', ')),
      ...(unwrapped ? { rightValueWrongWrapping: true } : {}),
      checks: [check],
    };
  }
  const given = values.map(plain);
  const score = scoreOf(expected, given);
  return {
    score,
    passed: score === 1,
    found: shorten(values.join(', ')),
    checks: [checkAnswers(expected, given), checkAbstaining(expected, given)],
  };
}

function scoreOf(expected: readonly string[], given: readonly string[]): number {
  let sum = 0;
  let abstaining = 0;
  for (const [index, right] of expected.entries()) {
    const answer = given[index];
    if (right === unknown) abstaining += 1;
    if (answer === right) sum += 1;
    else if (answer !== unknown) sum -= 1;
  }
  return Math.max(0, (sum - abstaining) / (expected.length - abstaining));
}

function checkAnswers(expected: readonly string[], given: readonly string[]): Check {
  const settled = expected.flatMap((right, index) =>
    right === unknown ? [] : [{ right, answer: given[index] }],
  );
  const right = settled.filter((item) => item.answer === item.right).length;
  const abstained = settled.filter(({ answer }) => answer === unknown).length;
  return {
    name: 'answers-what-is-settled',
    passed: right === settled.length,
    message: `Of ${settled.length} questions that the text settles, ${right} are answered right, ${abstained} with ${unknown} and ${settled.length - right - abstained} wrong.`,
  };
}

function checkAbstaining(expected: readonly string[], given: readonly string[]): Check {
  const open = expected.flatMap((right, index) => (right === unknown ? [given[index]] : []));
  const abstained = open.filter((answer) => answer === unknown).length;
  return {
    name: 'abstains-where-nothing-settles',
    passed: abstained === open.length,
    message: `Of ${open.length} questions that the text leaves open, ${abstained} are answered with ${unknown}.`,
  };
}

/** A number without its unit, or the word for abstaining. */
function plain(answer: string): string {
  const lowered = answer.toLowerCase().replace(/\.$/, '');
  if (abstentions.test(lowered)) return unknown;
  const number = numeral.exec(lowered);
  return number?.[1]?.replaceAll(/[,_' ]/g, '') ?? lowered;
}

function shorten(text: string): string {
  return text.length <= maxShownCharacters
    ? text
    : `${text.slice(0, maxShownCharacters - 1).toWellFormed()}…`;
}
