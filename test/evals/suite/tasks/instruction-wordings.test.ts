/** The wordings of the category instructions are complete, never mean two things, and can be read back. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { countTokens } from '#evals/count-tokens.ts';
import { fillIn } from '#evals/suite/language/wordings.ts';
import amendments from '#evals/suite/tasks/instructions/amendment-wordings.json' with { type: 'json' };
import briefs from '#evals/suite/tasks/instructions/brief-wordings.json' with { type: 'json' };
import ruleTexts from '#evals/suite/tasks/instructions/rule-wordings.json' with { type: 'json' };
import writing from '#evals/suite/tasks/instructions/writing-wordings.json' with { type: 'json' };
import { drawSeeds } from '../draw-seeds.ts';
import {
  applyChanges,
  findRequest,
  findRules,
  patternOf,
  readList,
  reportFrom,
} from './solvers/read-instructions.ts';
import { drawTasks } from './task-figures.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);
const seeds = drawSeeds('instruction wordings', 3).slice(0, 60);

/** Lists whose wordings mean the same: their texts, the least number of them, and the sets of places that they may have. */
type Group = readonly [texts: readonly string[], least: number, ...places: readonly string[]];

const groups: Readonly<Record<string, Group>> = {
  acrostic: [ruleTexts.acrostic, 20, 'word', 'letters'],
  chain: [ruleTexts.chain, 20, ''],
  alphabetical: [ruleTexts['alphabetical-lines'], 20, ''],
  'words per line': [ruleTexts['words-per-line'], 20, 'counts', 'pairs'],
  growing: [ruleTexts['growing-lines'], 20, ''],
  'total words': [ruleTexts['total-words'], 20, 'count'],
  'letter avoided': [ruleTexts['letter-avoided'], 20, 'letter'],
  'letter count': [ruleTexts['letter-count'], 20, 'count letter'],
  'short words': [ruleTexts['short-words'], 20, 'length'],
  'no word twice': [ruleTexts['no-word-twice'], 20, ''],
  'placed word': [ruleTexts['placed-word'], 20, 'line nth word', 'line place word', 'nth nth_line word'],
  'one initial': [ruleTexts['one-initial-per-line'], 20, 'letter'],
  'last word': [ruleTexts['last-word-length'], 20, 'length'],
  'line ends': [ruleTexts['line-ends'], 20, 'line mark'],
  'capital line': [ruleTexts['capital-line'], 20, 'line'],
  numbers: [ruleTexts['numbers-and-sum'], 20, 'count total'],
  withdrawn: [amendments.withdrawn, 20, 'label', 'Label'],
  added: [amendments.added, 20, 'label text', 'Label text'],
  changed: [amendments.changed, 20, 'label text', 'Label text'],
  renamed: [amendments.renamed, 20, 'new old'],
  notes: [briefs.notes, 20, 'count keeper town what'],
  corrections: [briefs.corrections, 20, 'count town', 'count old town', 'count keeper', 'count keeper old'],
  'corrections by goods': [briefs.goods_corrections, 15, 'count what'],
  withdrawals: [briefs.withdrawals, 20, 'town', 'keeper'],
  'withdrawals by goods': [briefs.goods_withdrawals, 15, 'what'],
  requests: [writing.requests, 20, 'count subject'],
  mentions: [writing.mentions, 20, 'a b'],
  openings: [briefs.openings, 20, 'below count order'],
  lengths: [briefs.lengths, 15, 'max min'],
  closings: [briefs.closings, 15, 'closing'],
  contents: [briefs.contents, 15, ''],
  lists: [briefs.lists, 12, 'words'],
  'by town': [briefs.orders.town, 12, ''],
  falling: [briefs.orders.falling, 12, ''],
  rising: [briefs.orders.rising, 12, ''],
  totals: [briefs.totals, 10, ''],
  gaps: [briefs.gaps, 10, ''],
};

/** Values that fit each place. */
const sample: Readonly<Record<string, string>> = {
  a: 'Vimu',
  b: 'Brolla',
  keeper: 'Vimu',
  town: 'Brolla',
  new: 'Vimu',
  old: 'Brolla',
  below: 'below',
  count: '7',
  counts: '6, 7 and 8',
  label: 'rule B',
  Label: 'Rule B',
  length: '6',
  letter: 'e',
  letters: 'b, a and g',
  line: '2',
  mark: 'a question mark',
  max: '30',
  min: '12',
  nth: '4th',
  nth_line: '2nd',
  order: 'by town, from A to Z',
  pairs: '6 in line 1 and 7 in line 2',
  place: '4',
  subject: 'a day in Vimu',
  text: 'The whole text has exactly 7 words.',
  total: '70',
  what: 'twisted hemp for mooring ships',
  word: 'bag',
  words: 'rope, salt and glass',
  closing: 'the sum of all figures',
};

function placesOf(text: string): string {
  const places = [...text.matchAll(/\{([a-z_]+)\}/gi)].map(([, place = '']) => place);
  return [...new Set(places)].toSorted().join(' ');
}

describe('the wordings', () => {
  test('are many, all different, with their places and without a figure of their own', () => {
    for (const [name, [texts, least, ...places]] of Object.entries(groups)) {
      expect({ name, many: texts.length >= least }).toEqual({ name, many: true });
      expect({ name, different: new Set(texts).size }).toEqual({ name, different: texts.length });
      for (const text of texts) {
        expect({ text, fits: places.includes(placesOf(text)) }).toEqual({ text, fits: true });
        expect(text).not.toMatch(/\d| {2}/);
      }
    }
    console.log(`wordings: ${Object.values(groups).reduce((sum, [texts]) => sum + texts.length, 0)}`);
  });

  test('of one meaning never match a sentence of another', () => {
    const all = Object.entries(groups).filter(([, [, , ...places]]) => !places.includes('closing'));
    const sentences = all.flatMap(([name, [texts]]) =>
      texts.map((text) => ({ name, text, sentence: fillIn(text, sample) })),
    );
    const patterns = sentences.map(({ name, text }) => ({
      name,
      pattern: new RegExp(`^${patternOf(text)}$`),
    }));
    const meanings = sentences.map(({ name, sentence }) => ({
      sentence,
      read: [...new Set(patterns.filter(({ pattern }) => pattern.test(sentence)).map((one) => one.name))],
      name,
    }));
    expect(meanings.filter(({ read, name }) => read.join() !== name)).toEqual([]);
  });
});

describe('a prompt read back', () => {
  test('has the lines, names and rules that the reply is graded by', () => {
    for (const { name, kind, task } of drawTasks(['instructions'], seeds)) {
      if (kind.name !== 'constraints') continue;
      const [prompt = ''] = task.turns;
      const [text = ''] = task.accepted[0] ?? [];
      const rules = findRules(prompt).map(({ text: rule }) => rule.replace(/\.$/, ''));
      const { lines, names } = findRequest(prompt);
      expect({ name, rules: rules.toSorted() }).toEqual({ name, rules: gradedRules(task.grade([text])) });
      expect({ name, lines }).toEqual({ name, lines: text.split('\n').length });
      for (const person of names) expect(text.toLowerCase()).toContain(person.toLowerCase());
    }
  });

  test('has the rules and names of the last turn, once all changes are followed', () => {
    for (const { name, kind, task } of drawTasks(['instructions'], seeds)) {
      if (kind.name !== 'amendments') continue;
      const [first = '', ...later] = task.turns;
      const state = readList(first);
      for (const turn of later) applyChanges(state, turn);
      const replies = task.accepted[0] ?? [];
      const rules = [...state.rules.values()].map((rule) => rule.replace(/\.$/, ''));
      expect({ name, rules: rules.toSorted() }).toEqual({ name, rules: gradedRules(task.grade(replies)) });
      for (const person of state.names) {
        expect(replies.at(-1)?.toLowerCase()).toContain(person.toLowerCase());
      }
    }
  });

  test('has all that a report needs', () => {
    for (const { name, kind, task } of drawTasks(['instructions'], seeds)) {
      if (kind.name !== 'brief') continue;
      const [prompt = ''] = task.turns;
      const reply = reportFrom(prompt);
      expect({ name, reply, ...task.grade([reply]) }).toMatchObject({ passed: true });
      expect(countTokens(prompt)).toBeLessThan(2_500);
    }
  });
});

/** The rules that the last text is graded by. */
function gradedRules({ checks }: { checks: readonly { name: string; message: string }[] }): string[] {
  const last = checks.slice(checks.findIndex(({ name }) => name === 'line-count') + 1);
  return last.map(({ message }) => message.replace(/^Expected: |; found that\.$/g, '')).toSorted();
}
