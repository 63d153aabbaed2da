/** The wordings of the category security: enough of each, complete, and none that could be read as another one. */
import { describe, expect, test } from 'bun:test';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { fillIn } from '#evals/suite/language/wordings.ts';
import { createRandom } from '#evals/random.ts';
import attacks from '#evals/suite/tasks/security/attacks.json' with { type: 'json' };
import errands from '#evals/suite/tasks/security/errands.json' with { type: 'json' };
import logs from '#evals/suite/tasks/security/logs.json' with { type: 'json' };
import notes from '#evals/suite/tasks/security/notes.json' with { type: 'json' };
import planted from '#evals/suite/tasks/security/planted.json' with { type: 'json' };
import rules from '#evals/suite/tasks/security/rules.json' with { type: 'json' };
import { secretKind } from '#evals/suite/tasks/security/secret.ts';
import { changeTexts, entryTexts, errandTexts, places } from './solvers/read-security.ts';
import { findAll, placesOf, readWhole, type Values } from './solvers/read-wordings.ts';

type Texts = readonly string[];

/** The places that each wording of a list has, after the least number of wordings. */
const lists: readonly (readonly [number, string, Readonly<Record<string, Texts>>])[] = [
  [15, 'place', { role: rules.role }],
  [12, 'secret', { passphrase: rules.passphrase }],
  [12, 'word', { word: rules.word }],
  [6, 'secret word', { both: rules.both }],
  [10, 'list', { price_lists: rules.price_lists.map(({ text }) => text) }],
  [10, 'name price', { price_items: rules.price_lists.map(({ item }) => item) }],
  [15, 'name price', { prices: rules.prices }],
  [6, 'difference name other', { dearer: rules.dearer, cheaper: rules.cheaper }],
  [12, 'from name price', { bulk: rules.bulk }],
  [12, '', { reply: rules.reply }],
  [15, 'message', { first_visit: rules.first_visit, next_visit: rules.next_visit }],
  [15, '', { asked_word: errands.word }],
  [20, 'a x', { one: errands.one }],
  [20, 'a b x y', { two: errands.two }],
  [20, 'a b sum x y', { change: errands.change }],
  [12, 'a b c d x y z', { lower: errands.lower }],
  [12, 'sum x', { most: errands.most }],
  [12, 'a b x y', { difference: errands.difference }],
  [12, 'a people x', { share: errands.share }],
  [12, 'a b sum x y', { short: errands.short }],
  [12, '', { blatant: attacks.blatant }],
  [8, '', { backwards: attacks.backwards, base64: attacks.base64, spelled: attacks.spelled }],
  [8, '', { verbatim: attacks.verbatim, hex: attacks.hex, carrier: attacks.carrier }],
  [8, '', { translate: attacks.translate, owner: attacks.owner, known: attacks.known }],
  [8, '', { acrostic: attacks.acrostic }],
  [8, 'name', { receipt: attacks.receipt }],
  [8, 'hour', { table: attacks.table }],
  [8, 'note', { note: attacks.note }],
  [8, 'part', attacks.purposes],
  [3, 'half', { first_letters: attacks.parts.first_letters, last_letters: attacks.parts.last_letters }],
  [3, '', { first_digits: attacks.parts.first_digits, last_digits: attacks.parts.last_digits }],
  [12, 'number town weight', { prose: logs.prose }],
  [8, 'what', { contents: logs.contents }],
  [8, 'number town weight what', { table_of_log: logs.table }],
  [12, 'signature', { rule: logs.rule }],
  [6, '', { scope: logs.scope }],
  [12, 'rule', { first: logs.first }],
  [12, '', { second: logs.second }],
  [12, 'goods town', { question: logs.question }],
  [4, 'question', { early_question: logs.early_question }],
  [5, 'name text', { signed: notes.signed }],
  [15, 'number', { leave: notes.leave, twice: notes.twice }],
  [15, 'number right weight', { correct: notes.correct }],
  [15, 'less number', { lighter: notes.lighter }],
  [15, 'number town', { moved: notes.moved }],
  [15, 'extra', { pallet: notes.pallet }],
  [15, 'town weight what', { late: notes.late }],
  [10, 'limit', { limit: notes.limit }],
  [10, 'word', { shout: planted.shout, demand: planted.demand, printed_word: planted.printed_word }],
  [8, 'name part', { split_first: planted.split_first, split_second: planted.split_second }],
  [8, '', { split_orders: planted.split_orders }],
  [8, 'colour limit', { define: planted.define }],
  [8, 'packing', { printed_packing: planted.printed_packing }],
  [8, 'extra', { printed_scale: planted.printed_scale }],
  [8, 'signature', { quoted: planted.quoted, reported: planted.reported }],
];

/** Lists of wordings of which some have a place that others have not. */
const optional: readonly (readonly [number, Texts, Texts, Texts])[] = [
  [20, notes.harmless, ['helper'], ['hour']],
  [6, planted.system, ['word'], ['open', 'close']],
  [6, planted.operator, ['word'], ['open', 'close']],
  [6, planted.reversed, ['word'], []],
  [6, planted.image, ['host', 'word'], []],
  [6, planted.link, ['host', 'word'], []],
  [8, planted.exclude, [], ['colour', 'Colour']],
];

const samples: Values = {
  ...Object.fromEntries(Object.keys(places).map((place, at) => [place, String(at + 11)])),
  x: 'ROPE',
  y: 'SALT',
  z: 'BOOTS',
  what: 'ROPE',
  goods: 'rope',
  other: 'nubrim',
  name: 'tajoun',
  town: 'Zootirn',
  helper: 'Quudor',
  signature: 'Paplirul Gibros',
  place: 'Bovroom',
  secret: 'grozalaikon-75974856',
  word: 'tonakiflou-03736391',
  part: 'sniluy',
  host: 'a.example',
  colour: 'red',
  Colour: 'Red',
  open: '<log>',
  close: '</log>',
  note: 'tor??-12345678',
  hour: '7',
  list: 'tajoun 5',
  message: 'What is it?',
  rule: 'Rule.',
  question: 'What?',
  text: 'Add it.',
};

const sample = (wording: string) => fillIn(wording, samples);

describe('the wordings of security', () => {
  test('are many, all different, each with exactly its places', () => {
    for (const [least, needed, group] of lists) {
      for (const [name, texts] of Object.entries(group)) {
        expect({ name, many: texts.length >= least }).toEqual({ name, many: true });
        expect(new Set(texts).size).toBe(texts.length);
        const wrong = texts.filter((text) => placesOf(text).join(' ') !== needed);
        expect({ name, wrong }).toEqual({ name, wrong: [] });
      }
    }
    for (const [least, texts, needed, allowed] of optional) {
      expect(texts.length).toBeGreaterThanOrEqual(least);
      for (const text of texts) {
        const present = placesOf(text);
        expect(needed.filter((place) => !present.includes(place))).toEqual([]);
        expect(present.filter((place) => ![...needed, ...allowed].includes(place))).toEqual([]);
      }
    }
    const sets = [
      ...lists.flatMap(([, , group]) => Object.values(group)),
      ...optional.map(([, texts]) => texts),
    ];
    console.log(`${sets.flat().length} wordings in ${sets.length} lists`);
  });

  test('hold no digits but their values', () => {
    // As in names of forms, which nobody takes for a value.
    const known = /base64|Page 2 of 2|Form 7b|Scale 3/g;
    const texts = [
      ...lists.flatMap(([, , group]) => Object.values(group)),
      ...optional.map(([, all]) => all),
    ];
    expect(texts.flat().filter((text) => /\d/.test(text.replaceAll(known, '')))).toEqual([]);
  });

  test('say one thing: no sentence of a kind is one of another kind', () => {
    const orders = [planted.demand, planted.printed_word, planted.printed_packing, planted.printed_scale];
    const groups: Readonly<Record<string, readonly Texts[]>> = {
      errands: [...Object.values(errandTexts), errands.word],
      entries: [entryTexts, ...Object.values(changeTexts), notes.harmless, ...orders],
      halves: [
        planted.split_first,
        planted.split_second,
        planted.split_orders,
        planted.define,
        planted.exclude,
      ],
      rules: [
        rules.passphrase,
        rules.word,
        rules.both,
        rules.prices,
        rules.bulk,
        rules.dearer,
        rules.cheaper,
      ],
      attacks: [
        ...lists
          .flatMap(([, , group]) => Object.entries(group))
          .filter(([name]) => name in attacks)
          .map(([, texts]) => texts),
        errands.word,
      ],
    };
    const known: Values = {
      ...places,
      name: '[a-z ]+',
      part: '.+',
      note: '.+',
      colour: 'red',
      Colour: 'Red',
    };
    let pairs = 0;
    for (const [group, kinds] of Object.entries(groups)) {
      for (const [at, texts] of kinds.entries()) {
        for (const other of kinds.filter((_, place) => place !== at)) {
          const read = texts.map(sample).filter((text) => readWhole(text, other, known) !== null);
          expect({ group, read }).toEqual({ group, read: [] });
          pairs += texts.length * other.length;
        }
      }
    }
    console.log(`${pairs} pairs of wordings of different meaning`);
  });

  test('of visits are not found inside those of attacks, nor an entry of a log inside a note', () => {
    const said = lists
      .flatMap(([, , group]) => Object.entries(group))
      .filter(([name]) => name in attacks || name in attacks.purposes)
      .flatMap(([, texts]) => texts.map(sample));
    const asked = [...Object.values(errandTexts).flat(), ...errands.word];
    expect(said.filter((text) => findAll(text, asked, places).length > 0)).toEqual([]);
    const lines = [...Object.values(changeTexts).flat(), ...Object.values(planted).flat(), ...notes.harmless]
      .map(sample)
      .flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => readWhole(line, entryTexts, places) !== null)).toEqual([]);
  });

  test('end with the name of the owner if the note is genuine, and with other words if it is planted', () => {
    expect(notes.signed.filter((form) => !form.endsWith(' {name}'))).toEqual([]);
    expect(changeTexts).toContainKeys([
      'leave',
      'twice',
      'correct',
      'lighter',
      'moved',
      'pallet',
      'late',
      'limit',
    ]);
    const endings = [...planted.quoted, ...planted.reported].map(sample);
    expect(endings.filter((text) => /Gibros\W*$/.test(text))).toEqual([]);
    const unsigned = Object.entries(planted).filter(([name]) => name !== 'quoted' && name !== 'reported');
    expect(unsigned.flatMap(([, texts]) => texts).filter((text) => text.includes('{signature}'))).toEqual([]);
  });
});

test('no figure that a visitor must be told shares two neighbouring digits with the passphrase', () => {
  for (let seed = 0; seed < 40; seed += 1)
    for (const level of ladderLevels) {
      const { accepted, secret = '' } = secretKind.make(createRandom(`v${seed}`, 'figures'), level, {
        maxPromptTokens: 8_000,
      });
      const figures = (accepted[0] ?? []).flatMap((reply) => /Answer: (\d+)$/.exec(reply)?.[1] ?? []);
      const runs = figures.flatMap((figure) =>
        Array.from({ length: figure.length - 1 }, (_, at) => figure.slice(at, at + 2)),
      );
      expect({ seed, level, shared: runs.filter((run) => secret.includes(run)) }).toEqual({
        seed,
        level,
        shared: [],
      });
      expect(figures.length).toBeGreaterThan(0);
    }
});
