/** The grader of a choice among options. */
import { Type } from 'typebox';
import { comparable, quoteText, trimmed } from '../text-forms.ts';
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

/** Passes if the reply chooses this one of `options` and no other. */
export const choice = grader({
  name: 'choice',
  stepsPerCharacter: 15,
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
  /\b(?:not|never|neither|nor|isn['’]t|aren['’]t|wasn['’]t|can['’]?t|cannot|won['’]t|wouldn['’]t|wrong|incorrect|false|except|unless|anything but|other than|rul(?:e|es|ed|ing) out|ruled|eliminated?|excluded?|avoid|trap|distractor|too \w{1,20}|impossible|out of the question|least (?:appropriate|likely|plausible|probable|suitable))\b|\bno[,:.!]|[:—–-]\s{0,3}no\b/i;
/** A refusal of the option for which `¦` stands. With other words between, it may be part of the explanation. */
const refusal =
  /(?<!\bno \w{1,9} to )\b(?:(?:declin|refus|unable)\w{0,3} to|(?:(?:decline|refuse|unable) to (?:choose|give|grant|issue|offer|pick|select)|decline|deny|refuse|reject)(?: (?:an?|any|the|this|your|answer|choice|option)){0,2}) [*"(]{0,3}¦|¦[^\w.,;!?]{1,6}(?:request )?(?:(?:it )?(?:are|gets?|is|was|were|(?:has|have) been|(?:must|should) be) )?(?:hereby )?(?:declined|denied|refused|rejected)\b(?! (?!because\b|since\b)\w)|¦\W{0,4}=\W{0,4}no\W{0,6}$/i;
/** An option that is a refusal itself is not taken back by one, nor by `No` in the next sentence. */
const refusing = /^(?:declin|den(?:ied|y)|false|incorrect|never|not?\b|refus|reject|wrong)/i;
const retraction =
  /\b(?:actually|wait|hmm|edit|final|correction|sorry|instead|rather|mistake|changed my mind|second thoughts?|on reflection|scratch that|(?:right|correct|best) (?:answer|choice|option)|answer (?:is|should|must)|i (?:choose|pick|chose)|(?:is|are|was|be|seems|looks|fits?|fit) (?:the )?(?:correct|right|best|better|true))\b|\bno[,:.!]/i;

/** The option on the first line or in the answer of the reply, otherwise all that it names. */
function chooseFrom(options: readonly Option[], text: string, work: WorkBudget): readonly string[] {
  const first = chosenFirst(options, text, work);
  if (first !== null) return [first];
  const answer = readAnswer(text);
  const led =
    chosenByLead(options, text, work) ?? (answer?.isMarked ? chosenByLead(options, answer.text, work) : null);
  if (led !== null) return [led];
  if (answer !== null) {
    const alone = optionAlone(options, answer.text);
    const startsElsewhere = optionAlone(options, text.split('\n', 1)[0] ?? '');
    const isSure = startsElsewhere === null || startsElsewhere === alone;
    if (alone !== null && isSure && optionsIn(options, answer.text, work).length <= 1) return [alone];
  }
  const named = optionsIn(options, text, work);
  if (named.length !== 1) return named;
  const isRefusing = named.some((option) => refusing.test(option));
  const isDenied = text.split(/(?<=[.!?\n])\s+/).some((part) => {
    const { found, rest } = lookFor(options, part, work);
    return (!isRefusing && deniesLead.test(rest)) || (found.length > 0 && denial.test(rest));
  });
  const isRefused = (part: string): boolean => refusal.test(lookFor(options, part, work).rest);
  return isDenied || (!isRefusing && text.split(/(?<=[.!?])\s+|\n+/).some(isRefused)) ? [] : named;
}

/** Whether the words after an option take it back. */
function isTakenBack(option: string, rest: string): boolean {
  return deniesLead.test(rest) || (!refusing.test(option) && refusal.test(`¦ ${rest}`));
}

/** The option that a short text is, or that begins it as `B) …` and `B: …` do. */
function optionAlone(options: readonly Option[], text: string): string | null {
  if (text.length > 400) return null;
  const [, lead = text, rest = ''] = /^[*_`([ ]{0,6}([^)\].:*_]{1,80})[)\].:](?!\d)(.*)$/s.exec(text) ?? [];
  const known = new Set([text, lead].map((form) => comparable(form, ['case', 'punctuation'])));
  const [found, ...others] = options.filter(({ alone }) => known.has(alone));
  return found === undefined || others.length > 0 || isTakenBack(found.text, rest.trimStart())
    ? null
    : found.text;
}

/** The option that is the whole first line, if an explanation follows that does not take it back. */
function chosenFirst(options: readonly Option[], text: string, work: WorkBudget): string | null {
  const [first = '', ...rest] = text.split(/\n+/, maxExplanationLines);
  if (rest.length === 0 || first.length > 2 * maxOptionCharacters || first.trimEnd().endsWith('?'))
    return null;
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

/** What may follow an option before its explanation. */
const leadEnd =
  /^[*_`'")\]]{0,6}(?:[,.):](?!\d)|\s[—–-](?=\s)|\s(?=\(|(?:because|since|as|is the (?:correct|right|best))\b))/;
const leadEndMax = 40;
const clauseEnd = /[.,;:!?\n]+|\s[—–-]\s|\b(?:because|since)\b/;
const deniesLead = /^(?:(?:(?:it |that )?is |it['’]s )?(?:wrong|incorrect|false)|no|not|never)\b/i;

/** The option that begins the text, if each part of the explanation that names another one denies it. */
function chosenByLead(options: readonly Option[], text: string, work: WorkBudget): string | null {
  const start = trimmed(text, /[\s*_`'"([]/);
  const chosen = options.find(({ text: option, isLetter }) => {
    const head = start.slice(0, option.length);
    const isSame = isLetter ? head === option : comparable(head, ['case']) === comparable(option, ['case']);
    return isSame && leadEnd.test(start.slice(option.length, option.length + leadEndMax));
  });
  if (chosen === undefined) return null;
  const said = start
    .slice(chosen.text.length)
    .replace(leadEnd, '')
    .split(clauseEnd, maxExplanationLines)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
  const isSure = said.every((clause, place) => {
    const { found, rest } = lookFor(options, clause, work);
    if (found.every((option) => option === chosen.text))
      return place > 0 || !isTakenBack(chosen.text, clause);
    return (denial.test(rest) || refusal.test(rest)) && !retraction.test(clause);
  });
  return isSure && said.length > 0 ? chosen.text : null;
}

/** Where `A` is an article: before a word that does not follow the name of an option. */
const article =
  /(?<![\p{L}\p{N}])A(?= (?!(?:is|was|are|were|has|had|does|did|would|will|can|could|must|should|may|might|seems|looks|fits|matches|because|since|as|and|or|but|nor|for|in|with|which|that|not|by|over|then|only|alone|rather|instead|says|states|gives|also)\b)\p{Ll})/gu;

interface Found {
  readonly found: readonly string[];
  /** The text with `¦` in their place. */
  readonly rest: string;
}

const optionsIn = (...given: Parameters<typeof lookFor>): readonly string[] => lookFor(...given).found;

/** Finds the options that stand in the text as words of their own. */
function lookFor(options: readonly Option[], text: string, work: WorkBudget): Found {
  work.spend((options.length + 8) * (text.length + optionSteps));
  let rest = comparable(text, ['case', 'whitespace']);
  let restExact = comparable(text, ['whitespace']).replaceAll(article, '');
  const found = options.flatMap(({ text: option, form, isLetter }) => {
    const cut = cutWord(isLetter ? restExact : rest, form);
    if (cut === null) return [];
    if (isLetter) restExact = cut;
    else rest = cut;
    return [option];
  });
  return { found, rest: options.some(({ isLetter }) => isLetter) ? restExact : rest };
}

/** `text` without `word`, or null if it does not contain it as a word. */
function cutWord(text: string, word: string): string | null {
  if (word === '') return null;
  let kept = '';
  let last = 0;
  for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + word.length)) {
    const end = from + word.length;
    const isWord =
      !/(?:[\p{L}\p{N}]|\p{Nd}[.,]|-(?=$))$/u.test(text.slice(Math.max(0, from - 2), from)) &&
      !/^(?:[\p{L}\p{N}]|[.,]\p{Nd})/u.test(text.slice(end, end + 2));
    if (!isWord) continue;
    kept += `${text.slice(last, from)}¦`;
    last = end;
  }
  return last === 0 ? null : kept + text.slice(last);
}
