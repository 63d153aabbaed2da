/** The wordings of dossiers, of logs and of requests for an answer: complete, and none with two meanings. */
import { describe, expect, test } from 'bun:test';
import requests from '#evals/suite/language/answer-requests.json' with { type: 'json' };
import { goods } from '#evals/suite/language/goods.ts';
import { fillIn } from '#evals/suite/language/wordings.ts';
import { findMarkers } from '#evals/suite/reader/find-markers.ts';
import { type Theme, themes } from '#evals/suite/tasks/calibration/themes.ts';
import wordings from '#evals/suite/tasks/calibration/wordings.json' with { type: 'json' };
import log from '#evals/suite/tasks/context/log-wordings.json' with { type: 'json' };
import { readEntries } from './solvers/read-context.ts';
import { readQuestion, readStatements } from './solvers/read-dossier.ts';
import { placesOf } from './solvers/read-wordings.ts';

function expectLists(lists: readonly [texts: readonly string[], least: number, places: string][]): void {
  for (const [texts, least, places] of lists) {
    expect(texts.length).toBeGreaterThanOrEqual(least);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect({ text, places: placesOf(text).join(' ') }).toEqual({ text, places });
      expect({ text, hasDigits: /\d/.test(text) }).toEqual({ text, hasDigits: false });
    }
  }
}

test('there are enough wordings, all different, with exactly their places', () => {
  expect(themes.length).toBeGreaterThanOrEqual(20);
  expect(new Set(themes.flatMap(({ heading }) => heading)).size).toBe(2 * themes.length);
  for (const theme of themes) {
    expectLists([
      [theme.heading, 2, ''],
      [theme.head, 4, 'p x'],
      [theme.helper, 4, 'p x'],
      [theme.headedBy, 3, 'p'],
      [theme.follows, 4, 'x y'],
      [theme.followedBy, 3, 'x'],
    ]);
    for (const text of [...theme.headedBy, ...theme.followedBy])
      expect(text).toStartWith(`the ${theme.noun} `);
    expect(theme.numbers).toHaveLength(3);
    for (const { text, near, question, together } of theme.numbers) {
      expectLists([
        [text, 5, 'n x'],
        [near, 4, 'n x'],
        [question, 3, 'x'],
        [together, 3, 'x y'],
      ]);
    }
  }
  expectLists([
    [wordings.opening, 10, 'topic'],
    [wordings.heading, 10, ''],
    [wordings.label, 5, 'n'],
    [wordings.rules, 8, ''],
    [wordings.order, 5, 'n'],
    [wordings.correction, 15, 'right wrong'],
    [wordings.naming, 5, ''],
    [wordings.gift, 10, 'what x'],
    [wordings.nearGift, 8, 'what x'],
    [wordings.receiver, 6, 'noun what'],
    [log.opening, 10, ''],
    [log.entry, 16, 'how receipt what where who'],
    [log.struck, 12, 'entry'],
    [log.rule, 8, ''],
    [requests, 10, 'what'],
  ]);
  expect(log.question.length).toBeGreaterThanOrEqual(12);
  for (const text of log.question) {
    const places = placesOf(text).join(' ');
    const rank = '(?:how nth|how number)';
    expect(places).toMatch(new RegExp(`^(?:direction |edge )?${rank} rule (?:side )?what where who$`));
    expect(text.match(/\{(?:side|edge|direction)\}/g)).toHaveLength(1);
  }
});

const sorts = (theme: Theme): [string, readonly string[]][] => [
  ...theme.numbers.map(({ text }, index): [string, readonly string[]] => [`number ${index}`, text]),
  ...theme.numbers.map(({ near }, index): [string, readonly string[]] => [`near ${index}`, near]),
  ['head', theme.head],
  ['helper', theme.helper],
  ['follows', theme.follows],
  ['gift', wordings.gift],
  ['near gift', wordings.nearGift],
];

const glass = goods.find(({ name }) => name === 'glass')?.phrases[0] ?? '';

describe.each(themes.map((theme) => ({ theme, name: theme.heading[0] })))('$name', ({ theme }) => {
  const x = fillIn(theme.entity, { name: 'Xadrul' });
  const y = fillIn(theme.entity, { name: 'Yobem' });
  const fill = (text: string, n: number) => fillIn(text, { x, y, n, p: 'Pavil', what: glass });
  const secondOf = (relation: string, n: number) =>
    relation === 'follows'
      ? 'Yobem'
      : relation.startsWith('h')
        ? 'Pavil'
        : relation.endsWith('gift')
          ? 'glass'
          : String(n);

  test('a statement is read as what it states and as nothing else, also inside a correction', () => {
    for (const [relation, texts] of sorts(theme)) {
      for (const [index, text] of texts.entries()) {
        const statement = { relation, first: 'Xadrul', second: secondOf(relation, 42), isTakenBack: false };
        expect({ text, read: readStatements(theme, fill(text, 42)) }).toEqual({ text, read: [[statement]] });
        if (relation.startsWith('near') || relation === 'gift') continue;
        for (const correction of wordings.correction) {
          const wrong = fill(texts[(index + 1) % texts.length] ?? '', 7);
          const sentence = fillIn(correction, { wrong, right: fill(text, 42) });
          const taken = { ...statement, second: secondOf(relation, 7), isTakenBack: true };
          const read = readStatements(theme, sentence);
          expect({ sentence, read }).toEqual({ sentence, read: [[taken, statement]] });
        }
      }
    }
  });

  test('a question is read as what it asks and as nothing else, whoever it is about', () => {
    const described = [
      ...theme.headedBy.map((text) => fill(text, 0)),
      ...wordings.receiver.map((text) => fillIn(text, { noun: theme.noun, what: 'glass' })),
    ];
    const followed = theme.followedBy.flatMap((text) =>
      [x, ...described].map((inner) => fillIn(text, { x: inner })),
    );
    for (const [attribute, { question, together }] of theme.numbers.entries()) {
      for (const asked of [x, ...described, ...followed]) {
        for (const text of question) {
          const read = readQuestion(theme, fillIn(text, { x: asked }));
          expect({ text, read }).toEqual({ text, read: [{ attribute, subjects: [asked] }] });
        }
        for (const text of together) {
          const read = readQuestion(theme, fillIn(text, { x: y, y: asked }));
          expect({ text, read }).toEqual({ text, read: [{ attribute, subjects: [y, asked] }] });
        }
      }
    }
  });

  test('what stands for an entity in a question cannot swallow the words after it', () => {
    for (const text of theme.followedBy) expect(text).toEndWith('{x}');
    for (const { question, together } of theme.numbers) {
      for (const text of question) expect(text).toMatch(/\{x\}(?:\?|,|:)/);
      for (const text of together) expect(text).toMatch(/\{x\} and .*\{y\}(?:\?|,|:)/);
    }
  });
});

test('an entry of a log is read as one entry, struck out or not', () => {
  const values = { who: 'Xadrul', what: 'salt', where: 'north', receipt: 'sitoralk' };
  for (const text of log.entry) {
    for (const how of ['by cart', 'on a cart', 'on foot']) {
      const entry = fillIn(text, { ...values, how });
      expect({ text, read: readEntries(entry) }).toMatchObject({
        text,
        read: [
          { entry: { what: 'salt', where: 'north', who: 'Xadrul', receipt: 'sitoralk' }, isStruck: false },
        ],
      });
      for (const mark of log.struck) {
        const read = readEntries(fillIn(mark, { entry }));
        expect({ mark, struck: read.map(({ isStruck }) => isStruck) }).toEqual({ mark, struck: [true] });
      }
    }
  }
});

test('a request for an answer names the label but contains no answer itself', () => {
  for (const request of requests) {
    expect(request.match(/"Answer:"/g)).toHaveLength(1);
    expect({ request, marked: findMarkers(fillIn(request, { what: 'the one number' })) }).toEqual({
      request,
      marked: [],
    });
  }
});
