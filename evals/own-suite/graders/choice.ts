/** The grader of a choice among options. */
import { Type } from 'typebox';
import { comparable, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { grader, verdict } from './grader.ts';
import { readAnswer } from './read-answer.ts';
import { spokenText } from './spoken.ts';

const maxOptions = 50;
const maxOptionCharacters = 80;
const maxExplanationLines = 500;
/** Steps of looking for an option in a short text. */
const optionSteps = 10;
const OptionText = Type.String({ minLength: 1, maxLength: maxOptionCharacters });

export const choice = grader({
  name: 'choice',
  stepsPerCharacter: 15,
  passes: 'the reply chooses this one of `options` and no other',
  fields: { choice: OptionText, options: Type.Array(OptionText, { minItems: 2, maxItems: maxOptions }) },
  check(spec, { fault }) {
    const known = spec.options.map((option) => comparable(option, ['case']));
    const blank = known.indexOf('');
    if (blank >= 0) return fault(`\`options[${blank}]\` must not be blank.`, 'options', blank);
    if (new Set(known).size < known.length)
      return fault('`options` must differ in more than case.', 'options');
    return known.includes(comparable(spec.choice, ['case']))
      ? []
      : fault('`choice` must be one of `options`.', 'choice');
  },
  prepare(spec) {
    const expected = `${quoteText(spec.choice)} of ${spec.options.map(quoteText).join(', ')}`;
    const wanted = comparable(spec.choice, ['case']);
    const options = optionsOf(spec.options);
    return ({ text }, { work }) => {
      const chosen = chooseFrom(options, spokenText(text), work);
      const passed = chosen.length === 1 && comparable(chosen[0] ?? '', ['case']) === wanted;
      return verdict(
        passed,
        expected,
        chosen.length === 0 ? 'no choice' : chosen.map(quoteText).join(' and '),
      );
    };
  },
});

interface Option {
  readonly text: string;
  /** As it stands in a text. One letter counts in the case in which it is declared. */
  readonly form: string;
  readonly isLetter: boolean;
  /** As it stands alone. */
  readonly alone: string;
}

/** A longer option hides the shorter ones inside it: of "partly open" and "open", only the first is named. */
function optionsOf(options: readonly string[]): readonly Option[] {
  return options
    .toSorted((one, other) => other.length - one.length)
    .map((text) => {
      const isLetter = Array.from(text).length === 1;
      const form = comparable(text, isLetter ? ['whitespace'] : ['case', 'whitespace']);
      return { text, isLetter, form, alone: comparable(text, ['case', 'punctuation']) };
    });
}

/** A sentence with one of these rejects what it names. */
const denial =
  /\b(?:not|never|neither|nor|isn['’]t|aren['’]t|wasn['’]t|can['’]?t|cannot|won['’]t|wouldn['’]t|wrong|incorrect|except|unless)\b/i;
const retraction =
  /\b(?:actually|wait|correction|sorry|instead|rather|mistake|changed my mind|second thoughts?|scratch that|no,|(?:final|right|correct|best) (?:answer|choice|option)|answer is|i (?:choose|pick|chose))\b/i;

/** The option on the first line or in the answer of the reply, otherwise all that it names. */
function chooseFrom(options: readonly Option[], text: string, work: WorkBudget): readonly string[] {
  const first = chosenFirst(options, text, work);
  if (first !== null) return [first];
  const answer = readAnswer(text);
  if (answer !== null) {
    const alone = optionAlone(options, answer.text);
    const startsElsewhere = optionAlone(options, text.split('\n', 1)[0] ?? '');
    const isSure = startsElsewhere === null || startsElsewhere === alone;
    if (alone !== null && isSure && optionsIn(options, answer.text, work).length <= 1) return [alone];
  }
  const named = optionsIn(options, text, work);
  if (named.length !== 1) return named;
  const sentence = text.split(/(?<=[.!?\n])\s+/).filter((part) => optionsIn(options, part, work).length > 0);
  return sentence.some((part) => denial.test(part)) ? [] : named;
}

/** The option that a short text is, or that begins it as `B) …` and `B: …` do. */
function optionAlone(options: readonly Option[], text: string): string | null {
  if (text.length > 400) return null;
  const lead = text.replace(/^[*_`([ ]{0,6}([^)\].:*_]{1,80})[)\].:].*$/s, '$1');
  const known = new Set([text, lead].map((form) => comparable(form, ['case', 'punctuation'])));
  const found = options.filter(({ alone }) => known.has(alone));
  return found.length === 1 ? (found[0]?.text ?? null) : null;
}

/** The option that is the whole first line, if an explanation follows that does not take it back. */
function chosenFirst(options: readonly Option[], text: string, work: WorkBudget): string | null {
  const [first = '', ...rest] = text.split(/\n+/, maxExplanationLines);
  if (rest.length === 0 || first.length > 2 * maxOptionCharacters) return null;
  const whole = comparable(first, ['case', 'punctuation']);
  const chosen = options.find((option) => option.alone === whole);
  if (chosen === undefined) return null;
  for (const part of rest.flatMap((line) => line.split(/(?<=[.!?])\s+/))) {
    const others = optionsIn(options, part, work).filter((option) => option !== chosen.text);
    if (others.length === 0) continue;
    const isAnother = options.some(({ alone }) => alone === comparable(part, ['case', 'punctuation']));
    if (isAnother || retraction.test(part)) return null;
  }
  return chosen.text;
}

/** Options that stand in the text as words of their own. */
function optionsIn(options: readonly Option[], text: string, work: WorkBudget): readonly string[] {
  work.spend((options.length + 8) * (text.length + optionSteps));
  let rest = comparable(text, ['case', 'whitespace']);
  let restExact = comparable(text, ['whitespace']);
  return options.flatMap(({ text: option, form, isLetter }) => {
    const cut = cutWord(isLetter ? restExact : rest, form);
    if (cut === null) return [];
    if (isLetter) restExact = cut;
    else rest = cut;
    return [option];
  });
}

/** `text` without `word`, or null if it does not contain it as a word. */
function cutWord(text: string, word: string): string | null {
  if (word === '') return null;
  let kept = '';
  let last = 0;
  for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + word.length)) {
    const end = from + word.length;
    const isWord =
      !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from)) &&
      !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2));
    if (!isWord) continue;
    kept += `${text.slice(last, from)}¦`;
    last = end;
  }
  return last === 0 ? null : kept + text.slice(last);
}
