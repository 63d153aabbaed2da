/** The grader of a choice among options. */
import { Type } from 'typebox';
import { comparable, plainForm, quoteText, trimmed, wordLetter } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { grader, unclear, verdict } from './grader.ts';
import { bare, readAnswer } from './read-answer.ts';
import { spokenText, withoutQuestions } from './spoken.ts';

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
      const reply = spokenText(text);
      const chosen = chooseFrom(options, reply, work);
      if (chosen.length > 1) return unclear(expected, chosen.map(quoteText).join(' and '));
      const [only] = chosen;
      if (only === undefined) {
        const isNamed = optionsIn(options, reply, work).length > 0;
        return isNamed ? unclear(expected, 'no clear choice') : verdict(false, expected, 'no choice');
      }
      return verdict(comparable(only, ['case']) === wanted, expected, quoteText(only));
    };
  },
});

interface Option {
  readonly text: string;
  readonly isLetter: boolean;
  /** To compare with a whole text: as it is, and without punctuation. */
  readonly exact: string;
  readonly loose: string;
}

interface Options {
  readonly list: readonly Option[];
  /** Matches any of them as a word of its own, each in a group. */
  readonly pattern: RegExp;
}

/** A longer option hides the shorter ones inside it: of "partly open" and "open", only the first is named. */
function optionsOf(options: readonly string[]): Options {
  const list = options
    .filter((text) => plainForm(text) !== '')
    .toSorted((one, other) => other.length - one.length)
    .map((text) => ({
      text,
      isLetter: Array.from(text).length === 1,
      exact: comparable(text, ['case', 'whitespace']),
      loose: comparable(text, ['case', 'punctuation']),
    }));
  return { list, pattern: new RegExp(list.map((option) => `(${patternOf(option)})`).join('|'), 'gu') };
}

const thirdPerson =
  'is|has|does|seems|looks|fits|matches|because|since|as|and|or|but|nor|for|in|with|which|that|not|by|over|then|only|alone|rather|instead|says|states|gives|also';
const anyPerson = `${thirdPerson}|was|are|were|had|did|would|will|can|could|must|should|may|might`;
/** Options that are also ordinary words do not count before a word that cannot follow the name of an option. */
const beforeOthers: Readonly<Record<string, string>> = {
  A: `(?! (?!(?:${anyPerson})\\b)\\p{Ll})`,
  I: `(?!['’]| (?!(?:${thirdPerson})\\b)\\p{Ll})`,
  no: `(?! (?!(?:${anyPerson})\\b)\\p{Ll})`,
};

/** A single letter must have the case in which it is declared. */
function patternOf({ text, isLetter, exact }: Option): string {
  const form = comparable(text, ['whitespace']);
  const signs = Array.from(form).map((sign) => {
    if (sign === ' ') return '\\s{1,9}';
    const cases = isLetter ? [sign] : [sign, sign.toLowerCase(), sign.toUpperCase()];
    return `(?:${[...new Set(cases)].map((each) => each.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')).join('|')})`;
  });
  const [before, after] = [/^./u, /.$/u].map((edge) =>
    new RegExp(wordLetter, 'u').test(edge.exec(form)?.[0] ?? '') ? wordLetter : '\\p{L}',
  );
  const others = beforeOthers[isLetter ? form : exact] ?? '';
  return `(?<!${before}|[\\p{N}+-]|\\p{Nd}[.,])${signs.join('')}(?!${after}|[\\p{N}+#]|[.,]\\p{Nd})${others}`;
}

/** A sentence with one of these rejects what it names. */
const denial =
  /\b(?:not|never|neither|nor|isn['’]t|aren['’]t|wasn['’]t|can['’]?t|cannot|won['’]t|wouldn['’]t|wrong|incorrect|false|except|unless|anything but|other than|rul(?:e|es|ed|ing) out|ruled|eliminated?|excluded?|avoid|trap|distractor|too \w{1,20}|impossible|out of the question|least (?:appropriate|likely|plausible|probable|suitable))\b|\bno[,:.!]|[:—–-]\s{0,3}no\b/i;
/** A refusal of the option for which `¦` stands. With other words between, it may be part of the explanation. */
const refusal =
  /(?<!\bno \w{1,9} to )\b(?:(?:declin|refus|unable)\w{0,3} to|(?:(?:decline|refuse|unable) to (?:choose|give|grant|issue|offer|pick|select)|decline|deny|refuse|reject)(?: (?:an?|any|the|this|your|answer|choice|option)){0,2}) [*"(]{0,3}¦|¦[^\w.,;!?]{1,6}(?:request )?(?:(?:it )?(?:are|gets?|is|was|were|(?:has|have) been|(?:must|should) be) )?(?:hereby )?(?:declined|denied|refused|rejected)\b(?! (?!because\b|since\b)\w)|¦\W{0,4}=\W{0,4}no\W{0,6}$/i;
/** An option that is a refusal itself is not taken back by one, nor by `No` in the next sentence. */
const refusing = /^(?:declin|den(?:ied|y)|false|incorrect|never|not?\b|refus|reject|wrong)/i;
/** As `denial`, but only in the clause of the option. */
const negation =
  /\b(?:no|without|against|hardly|ineligible|\w{1,9}n['’]t)\b[^,;:¦]{0,60}¦|¦\W{1,4}(?:\w{1,20} )?\w{1,9}n['’]t\b/i;
/** A sentence with one of these chooses nothing. */
const condition = /\b(?:if|maybe|perhaps|unless|whether)\b/i;
const retraction =
  /\b(?:actually|wait|hmm|edit|final|correction|sorry|instead|rather|mistake|changed my mind|second thoughts?|on reflection|scratch that|(?:right|correct|best) (?:answer|choice|option)|answer (?:is|should|must)|i (?:choose|pick|chose)|(?:is|are|was|be|seems|looks|fits?|fit) (?:the )?(?:correct|right|best|better|true))\b|\bno[,:.!]/i;

/** The option on the first line or in the answer of the reply, otherwise all that it names. */
function chooseFrom(options: Options, reply: string, work: WorkBudget): readonly string[] {
  const text = options.list.some((option) => option.text.endsWith('?')) ? reply : withoutQuestions(reply);
  const first = chosenFirst(options, text, work);
  if (first !== null) return [first];
  const answer = readAnswer(text);
  const led =
    chosenByLead(options, text, work) ?? (answer?.isMarked ? chosenByLead(options, answer.text, work) : null);
  if (led !== null) return [led];
  if (answer !== null && (answer.isMarked || !endsWithList(options, text))) {
    const alone = optionAlone(options, answer.text);
    const startsElsewhere = optionAlone(options, text.split('\n', 1)[0] ?? '');
    const isSure = startsElsewhere === null || startsElsewhere === alone;
    if (alone !== null && isSure && optionsIn(options, answer.text, work).length <= 1) return [alone];
  }
  const parts = text
    .split(/(?<=[.!?\n])\s+/)
    .filter((part) => !condition.test(part))
    .map((part) => lookFor(options, part, work));
  const named = [...new Set(parts.flatMap(({ found }) => found))];
  if (named.length !== 1) return named;
  const isRefusing = named.some((option) => refusing.test(option));
  const isDenied = parts.some(
    ({ found, rest }) =>
      (!isRefusing && (deniesLead.test(rest) || rest.split(/(?<=[.!?])\s+|\n+/).some(isRefused))) ||
      (found.length > 0 && (denial.test(rest) || negation.test(rest))),
  );
  return isDenied ? [] : named;
}

const isRefused = (part: string): boolean => refusal.test(comparable(part, ['whitespace']));

/** Whether the last two lines are two of the options, as in a list of them. */
function endsWithList(options: Options, text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [before, last] = lines.slice(-2).map((line) => ({
    option: optionAlone(options, line),
    isOnly: isOption(options, line) !== null,
  }));
  return before?.option != null && last?.option !== before.option && last?.isOnly === before.isOnly;
}

/** Whether the words after an option take it back. */
function isTakenBack(option: string, rest: string): boolean {
  return deniesLead.test(rest) || (!refusing.test(option) && refusal.test(`¦ ${rest}`));
}

/** The option that is the whole text. */
function isOption({ list }: Options, text: string): Option | null {
  const exact = comparable(bare(text), ['case', 'whitespace']);
  const found = list.find((option) => option.exact === exact);
  if (found !== undefined) return found;
  const loose = comparable(text, ['case', 'punctuation']);
  const [like, ...others] = loose === '' ? [] : list.filter((option) => option.loose === loose);
  return others.length > 0 ? null : (like ?? null);
}

/** The option that a short text is, or that begins it as `B) …` and `B: …` do. */
function optionAlone(options: Options, text: string): string | null {
  if (text.length > 400) return null;
  const [, lead = text, rest = ''] = /^[*_`([ ]{0,6}([^)\].:*_]{1,80})[)\].:](?!\d)(.*)$/s.exec(text) ?? [];
  const found = isOption(options, text) ?? isOption(options, lead);
  return found === null || isTakenBack(found.text, rest.trimStart()) ? null : found.text;
}

/** The option that is the whole first line, if an explanation follows that does not take it back. */
function chosenFirst(options: Options, text: string, work: WorkBudget): string | null {
  const [first = '', ...rest] = text.split(/\n+/, maxExplanationLines);
  if (rest.length === 0 || first.length > 2 * maxOptionCharacters) return null;
  const chosen = isOption(options, first);
  if (chosen === null) return null;
  for (const part of rest.flatMap((line) => line.split(/(?<=[.!?])\s+/))) {
    const others = optionsIn(options, part, work).filter((option) => option !== chosen.text);
    if (others.length === 0) continue;
    if (isOption(options, part) !== null || retraction.test(part)) return null;
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
function chosenByLead(options: Options, text: string, work: WorkBudget): string | null {
  const start = trimmed(text, /[\s*_`'"([]/);
  const chosen = options.list.find(({ text: option, isLetter }) => {
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

interface Found {
  readonly found: readonly string[];
  /** The text with `¦` in their place. */
  readonly rest: string;
}

const optionsIn = (...given: Parameters<typeof lookFor>): readonly string[] => lookFor(...given).found;
const bullets = /^ {0,8}[-*+•] {1,4}(?=\S)/gm;

/** Finds the options that stand in the text as words of their own. */
function lookFor({ list, pattern }: Options, text: string, work: WorkBudget): Found {
  work.spend((list.length + 8) * (text.length + optionSteps));
  const found = new Set<string>();
  const rest = plainForm(text.replaceAll(bullets, '')).replaceAll(pattern, (...groups) => {
    const option = list.find((_, at) => groups[at + 1] !== undefined);
    if (option !== undefined) found.add(option.text);
    return '¦';
  });
  return { found: [...found], rest };
}
