/** The wordings of parcels, corrections and requests: each is complete and has one meaning. */
import { describe, expect, test } from 'bun:test';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { fillIn } from '#evals/suite/language/wordings.ts';
import { createRandom } from '#evals/random.ts';
import { applyCorrections, drawCorrections } from '#evals/suite/tasks/structured/corrections.ts';
import {
  correctionCounts,
  listNames,
  makeDepot,
  recordCounts,
} from '#evals/suite/tasks/structured/parcels.ts';
import corrections from '#evals/suite/tasks/structured/corrections.json' with { type: 'json' };
import notes from '#evals/suite/tasks/structured/notes.json' with { type: 'json' };
import requests from '#evals/suite/tasks/structured/requests.json' with { type: 'json' };
import { drawSeed } from '../draw-seeds.ts';
import { matchesOf } from './solvers/read-wordings.ts';
import { correctionPatterns } from './solvers/parcels-again.ts';
import { readNotes, valuePatterns } from './solvers/read-notes.ts';

const values = {
  id: 'KM-123',
  second: 'KM-456',
  town: 'Tarnu',
  from: 'Tarnu',
  to: 'Vrosel',
  goods: 'brolnu',
  weight: '37 kg',
  by: '5 kg',
  mass: '41 kg',
  day: '4 March 2031',
  past: '2031-01-07',
  date: '2033-02-01',
  person: 'Snefra',
  place: 'Vrosel',
  home: 'Vrosel',
  idler: 'Snefra',
  other: 'Prolit',
  few: 3,
  some: 17,
  month: 'May',
  stuff: 'brolnu',
};

const placesOf = (text: string) => [...new Set(text.match(/(?<=\{)[a-z]+(?=\})/g))].toSorted();

/** Wordings with other places than these. */
function strangers(texts: readonly string[], needed: readonly string[], allowed: readonly string[] = []) {
  return texts.filter((text) => {
    const places = placesOf(text);
    const known = [...needed, ...allowed];
    return needed.some((place) => !places.includes(place)) || places.some((place) => !known.includes(place));
  });
}

/** Lists, at any depth. */
function listsIn(value: object, path = ''): (readonly [string, readonly string[]])[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    Array.isArray(inner)
      ? [[`${path}${key}`, inner.map(String)] as const]
      : typeof inner === 'object' && inner !== null
        ? listsIn(inner, `${path}${key}.`)
        : [],
  );
}

describe('a wording has exactly its places', () => {
  const { kinds } = corrections;
  test.each([
    ['weight', kinds.weight, ['id', 'weight'], ['old']],
    ['heavier', kinds.heavier, ['id', 'by'], []],
    ['lighter', kinds.lighter, ['id', 'by'], []],
    ['town', kinds.town, ['id', 'town'], ['old']],
    ['goods', kinds.goods, ['id', 'goods'], ['old']],
    ['day', kinds.day, ['id', 'day'], ['old']],
    ['swap', kinds.swap, ['id', 'second'], []],
    ['drop', kinds.drop, ['id'], []],
    ['move', kinds.move, ['from', 'to'], []],
    ['marks', corrections.marks, ['n'], []],
    ['layouts of keys', requests.extract.layouts, ['name', 'text'], []],
    [
      'openings',
      [requests.extract, requests.table, requests.template].flatMap(({ openings }) => openings),
      ['order'],
      [],
    ],
    ['headers', requests.table.headers, ['names', 'meanings'], []],
    ['contents', requests.contents, ['names'], []],
    ['goods of lines', requests.template.goods, ['goods', 'names'], []],
    ['codes', requests.schema.care, ['fragile', 'sturdy'], []],
    ['patterns', requests.template.patterns, ['mark', 'town', 'goods', 'kg', 'day'], []],
    ['last lines', requests.template.last, ['last', 'n', 'f', 'w'], []],
    ['care', [...notes.care.fragile, ...notes.care.sturdy], [], []],
  ] as const)('%s', (_, texts, needed, allowed) => {
    expect(strangers(texts, needed, allowed)).toEqual([]);
  });

  test('clauses and frames of notes', () => {
    for (const [fact, forms] of Object.entries(notes.facts)) {
      const own = ['fragile', 'sturdy', 'aside'].includes(fact) ? [] : [fact];
      const texts = Object.values(forms).flat();
      expect(strangers(texts, own, fact === 'aside' ? ['person', 'place', 'past'] : [])).toEqual([]);
    }
    for (const frame of notes.frames) {
      const isOpen = /\{(?:phrases|verbs|clauses|sentences)\}/.test(frame);
      const facts = placesOf(frame).filter((place) => place in notes.facts || place === 'care');
      expect({ frame, facts: facts.length, isOpen }).toMatchObject(isOpen ? { isOpen } : { facts: 5 });
      expect({ frame, care: isOpen && frame.includes('{care}') }).toEqual({ frame, care: false });
      // A phrase keeps its small letter.
      expect(frame).not.toMatch(/(?:^|\. )\{goods\}/);
    }
    expect(notes.facts.goods.clauses.filter((clause) => clause.startsWith('{'))).toEqual([]);
  });
});

const olds: Readonly<Record<string, string>> = { town: 'Vrosel', day: '2034-12-05', goods: 'strelka' };

describe('no sentence has two meanings', () => {
  test('no phrase for goods takes in what follows it, as in "sails for hoisting for Oslo"', () => {
    const place = /\{(?:goods|stuff|phrases|verbs|clauses)\}(?! \(|[,.;:)]|$)/;
    const told = listsIn({ ...notes, corrections: corrections.kinds }).flatMap(([, texts]) => texts);
    const open = corrections.kinds.goods.filter((text) => /\{old\}(?![,.;:)])/.test(text));
    expect([...told.filter((text) => place.test(text)), ...open]).toEqual([]);
  });

  test('a correction', () => {
    for (const [kind, texts] of Object.entries(corrections.kinds)) {
      const old = olds[kind] ?? '44 kg';
      for (const text of texts) {
        const said = fillIn(text, { ...values, old });
        const fitting = Object.entries(corrections.kinds).flatMap(([other, others]) =>
          matchesOf(others, said, correctionPatterns(other)).map(() => other),
        );
        expect({ said, fitting }).toEqual({ said, fitting: [kind] });
      }
    }
  });

  test('a clause of a note', () => {
    const lists = listsIn({ ...notes.facts, care: notes.care });
    const meaningOf = (path: string) => path.replace(/^care\./, '').replace(/\..*/, '');
    for (const [path, texts] of lists) {
      for (const text of texts) {
        const said = fillIn(text, values);
        const fitting = lists.flatMap(([other, others]) =>
          matchesOf(others, said, valuePatterns).map(() => meaningOf(other)),
        );
        expect({ said, fitting: [...new Set(fitting)] }).toEqual({ said, fitting: [meaningOf(path)] });
      }
    }
  });

  test('a remark, which is no note', () => {
    for (const remark of notes.remarks) {
      expect(readNotes(fillIn(remark, values))).toEqual([]);
    }
  });

  test('a request', () => {
    // Closing sentences of different kinds may be alike, and some columns have fields of the same meaning.
    const lists = listsIn({ ...requests.orders, ...requests.schema, ...requests.template });
    const texts = lists.flatMap(([, some]) => some);
    expect(texts.filter((text, at) => texts.indexOf(text) < at)).toEqual([]);
    const fields = Object.values(requests.extract.fields).flat();
    expect(new Set(fields).size).toBe(fields.length);
    const cells = Object.values(requests.table.columns).flatMap(({ names, texts: meanings }) => [
      ...names,
      ...meanings,
    ]);
    expect(new Set(cells).size).toBe(cells.length);
  });
});

test('there are many wordings of each thing, without other digits than their values', () => {
  const least: Readonly<Record<string, number>> = {
    frames: 30,
    remarks: 20,
    headings: 12,
    days: 8,
    openings: 10,
  };
  const all = [...listsIn(notes), ...listsIn(corrections.kinds), ...listsIn(requests)];
  for (const [path, texts] of all) {
    const last = path.replace(/.*\./, '');
    expect({ path, count: texts.length >= (least[last] ?? 3) }).toEqual({ path, count: true });
    expect(new Set(texts).size).toBe(texts.length);
  }
  for (const texts of Object.values(corrections.kinds)) expect(texts.length).toBeGreaterThanOrEqual(15);
  for (const texts of Object.values(requests.orders)) expect(texts.length).toBeGreaterThanOrEqual(8);
  for (const texts of [requests.contents, requests.schema.goods, requests.template.goods]) {
    expect(texts.length).toBeGreaterThanOrEqual(10);
  }
  for (const texts of Object.values(notes.care)) expect(texts.length).toBeGreaterThanOrEqual(20);
  for (const { phrases, verbs, clauses } of Object.values(notes.facts)) {
    expect(Math.min(phrases.length, verbs.length, clauses.length)).toBeGreaterThanOrEqual(8);
  }
  const texts = [...listsIn(notes), ...listsIn(corrections)].flatMap(([, some]) => some);
  expect(texts.filter((text) => /\d/.test(text))).toEqual([]);
});

test('at least three of the listed names are of goods that no parcel ever holds', () => {
  for (const level of ladderLevels) {
    const random = createRandom(drawSeed('unused goods'), `${level}`);
    const depot = makeDepot(random, recordCounts[level]);
    const changes = drawCorrections(random, depot, correctionCounts[level]);
    const held = changes.map((_, at) => applyCorrections(depot.parcels, changes.slice(0, at + 1)));
    const names = [depot.parcels, ...held].flat().map((parcel) => parcel.goods.name);
    const unused = listNames(random, depot).filter((name) => !names.includes(name));
    expect(unused.length).toBeGreaterThanOrEqual(3);
  }
});
