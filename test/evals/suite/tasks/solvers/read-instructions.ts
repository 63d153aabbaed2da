/** Reads the prompts of the category instructions back, by turning every wording into a pattern. */
import { goods } from '#evals/suite/language/goods.ts';
import amendments from '#evals/suite/tasks/instructions/amendment-wordings.json' with { type: 'json' };
import briefs from '#evals/suite/tasks/instructions/brief-wordings.json' with { type: 'json' };
import ruleTexts from '#evals/suite/tasks/instructions/rule-wordings.json' with { type: 'json' };
import writing from '#evals/suite/tasks/instructions/writing-wordings.json' with { type: 'json' };
import { patternOf as patternWith, type Values } from './read-wordings.ts';

const name = '[A-Z][a-z]+';
const figure = '\\d+';
const ordinal = '\\d+(?:st|nd|rd|th)';
const listed = (item: string) => `${item}(?:, ${item})* and ${item}`;
// The longer first, because some begin like others.
const goodsTexts = goods
  .flatMap((one) => [one.name, ...one.phrases])
  .toSorted((left, right) => right.length - left.length);
function alternativesOf(texts: readonly string[]): string {
  return texts.map((text) => RegExp.escape(text)).join('|') || '(?!)';
}
const label = '(?:rule|point|condition|requirement|demand)(?: no\\.)? (?:[A-Z]|\\d+)';

/** What stands in the places of all wordings. */
export const classes: Readonly<Record<string, string>> = {
  a: name,
  b: name,
  below: 'below|above',
  count: figure,
  counts: listed(figure),
  keeper: name,
  label,
  Label: label.replace('rule|point|condition|requirement|demand', 'Rule|Point|Condition|Requirement|Demand'),
  length: figure,
  letter: '[a-z]',
  letters: listed('[a-z]'),
  line: figure,
  mark: 'an exclamation mark|a question mark',
  max: figure,
  min: figure,
  new: name,
  nth: ordinal,
  nth_line: ordinal,
  old: `${name}|${figure}`,
  order: '[^.]+?',
  pairs: listed('\\d+ in line \\d+'),
  place: figure,
  subject: '[^.]+?',
  text: '.+?',
  total: figure,
  town: name,
  what: alternativesOf(goodsTexts),
  word: '[a-z]+',
  words: listed('[a-z]+'),
};

/** A pattern, as a text, with a group for each place. */
export function patternOf(wording: string): string {
  return patternWith(wording, classes);
}

/** The values of every place where one of the wordings stands in the text. */
export function findAll(wordings: readonly string[], text: string): Values[] {
  // Only the goods of the text: a pattern with thousands of them is slow.
  const what = alternativesOf(goodsTexts.filter((one) => text.includes(one)));
  return wordings.flatMap((wording) =>
    [...text.matchAll(new RegExp(patternWith(wording, { ...classes, what }), 'g'))].map(
      ({ groups = {}, 0: whole }) => ({
        ...groups,
        whole,
      }),
    ),
  );
}

export interface ReadRule {
  readonly name: string;
  /** The sentence as it stands in the prompt. */
  readonly text: string;
}

const everyRule = Object.entries(ruleTexts).flatMap(([rule, texts]) =>
  texts.map((text) => ({ rule, pattern: new RegExp(patternOf(text), 'g') })),
);

/** Every sentence of the text that is a rule. */
export function findRules(text: string): ReadRule[] {
  return everyRule.flatMap(({ rule, pattern }) =>
    [...text.matchAll(pattern)].map(([found]) => ({ name: rule, text: found })),
  );
}

export function findRequest(prompt: string): { lines: number; names: string[] } {
  const [request] = findAll(writing.requests, prompt);
  const [mention] = findAll(writing.mentions, prompt);
  return { lines: Number(request?.['count']), names: [mention?.['a'] ?? '', mention?.['b'] ?? ''] };
}

export interface ReadChanges {
  readonly rules: Map<string, string>;
  names: string[];
}

/** The rules by label, as the list of the first turn gives them. */
export function readList(prompt: string): ReadChanges {
  const rules = new Map<string, string>();
  for (const line of prompt.split('\n')) {
    const [rule] = findRules(line);
    if (rule === undefined || !line.endsWith(rule.text)) continue;
    const id = /\b([A-Z]|\d+)\W*$/.exec(line.slice(0, -rule.text.length))?.[1];
    if (id !== undefined) rules.set(id, rule.text);
  }
  return { rules, names: findRequest(prompt).names };
}

/** Follows the changes of a later turn. */
export function applyChanges(state: ReadChanges, prompt: string): void {
  for (const { whole: _, ...values } of findAll(amendments.withdrawn, prompt))
    state.rules.delete(idOf(values));
  for (const { text } of findRules(prompt)) {
    const before = prompt.slice(0, prompt.indexOf(text)) + text;
    const stated = [...amendments.added, ...amendments.changed].flatMap((wording) => {
      const lead = patternOf(wording.replace('{text}', ''));
      const match = new RegExp(`${lead}${RegExp.escape(text)}$`).exec(before);
      return match === null ? [] : [idOf(match.groups ?? {})];
    });
    state.rules.set(stated[0] ?? '', text);
  }
  for (const { old = '', new: next = '' } of findAll(amendments.renamed, prompt)) {
    state.names = state.names.map((known) => (known === old ? next : known));
  }
}

function idOf({ label: small, Label: capital }: Values): string {
  return (small ?? capital ?? '').split(' ').at(-1) ?? '';
}

/** The report that a brief asks for, from its notes and what is said about them later. */
export function reportFrom(prompt: string): string {
  const [list] = findAll(briefs.lists, prompt);
  const words = (list?.['words'] ?? '').split(/, | and /);
  const nameOf = (text: string) => {
    const known = goods.find(({ name: word, phrases }) => word === text || phrases.includes(text));
    return words.find((word) => word === known?.name);
  };
  const facts = new Map(
    findAll(briefs.notes, prompt).map(({ town = '', keeper = '', what = '', count }) => [
      town,
      { town, keeper, what: nameOf(what), count: Number(count) },
    ]),
  );
  const named = ({ town, keeper, what = '' }: Values) =>
    [...facts.values()].find(
      (fact) => fact.town === town || fact.keeper === keeper || fact.what === (nameOf(what) ?? null),
    );
  for (const values of findAll([...briefs.corrections, ...briefs.goods_corrections], prompt)) {
    const fact = named(values);
    if (fact !== undefined) fact.count = Number(values['count']);
  }
  for (const values of findAll([...briefs.withdrawals, ...briefs.goods_withdrawals], prompt)) {
    facts.delete(named(values)?.town ?? '');
  }
  const asks = (texts: readonly string[]) => texts.some((text) => prompt.includes(text));
  const rows = [...facts.values()].toSorted((one, two) =>
    asks(briefs.orders.falling)
      ? two.count - one.count
      : asks(briefs.orders.rising)
        ? one.count - two.count
        : one.town < two.town
          ? -1
          : 1,
  );
  const counts = rows.map(({ count }) => count);
  const sum = counts.reduce((left, right) => left + right, 0);
  const gap = asks(briefs.gaps)
    ? `, and the largest is ${Math.max(...counts) - Math.min(...counts)} more than`
    : ', by';
  return [
    ...rows.map(
      ({ town, keeper, what, count }) =>
        `The workshop that is in the town of ${town} has sold ${count} crates of ${what}, and the keeper of it is ${keeper}.`,
    ),
    ...(asks(briefs.totals)
      ? [`In all of the workshops together it was ${sum}${gap} the count of the keepers who are there.`]
      : []),
  ].join('\n\n');
}
