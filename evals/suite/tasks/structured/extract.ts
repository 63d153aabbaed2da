/** A flat JSON array from notes and later corrections. */
import type { JsonValue } from '../../graders/read-json.ts';
import { gradeJson } from '../../grading/grade-json.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../random.ts';
import type { Kind } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, orders } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import type { Parcel } from './parcels.ts';

interface Field {
  readonly text: string;
  readonly names: readonly string[];
  readonly value: (parcel: Parcel) => JsonValue;
}

const fields: readonly Field[] = [
  { text: 'what is in it, a string', names: ['goods', 'content', 'item'], value: ({ goods }) => goods },
  { text: 'where it goes, a string', names: ['town', 'to', 'destination'], value: ({ town }) => town },
  { text: 'its weight in kg, a number', names: ['weight', 'kg', 'mass'], value: ({ weight }) => weight },
  {
    text: 'the day on which it is due, a string like "2030-01-31"',
    names: ['due', 'deadline', 'day'],
    value: ({ due }) => due,
  },
  {
    text: 'whether it is fragile, true or false',
    names: ['fragile', 'care', 'breakable'],
    value: ({ fragile }) => fragile,
  },
];

interface Column {
  readonly name: string;
  readonly field: Field;
}

export const extractKind: Kind = {
  name: 'extract',
  make(random, level) {
    return firstDraft(() => {
      const columns = drawColumns(random);
      const order = random.pick(orders);
      const draft = draftDocument(random, level, (parcels) =>
        parcels.toSorted(order.compare).map((parcel) => describeParcel(parcel, columns)),
      );
      if (draft === null) return null;
      const { depot, corrections, value, mistakes } = draft;
      const right = JSON.stringify(value);
      return {
        turns: [describe(random, columns, order.text, describeMaterial(random, depot, corrections))],
        expected: right,
        answer: null,
        ...documentReplies(
          right,
          'json',
          [...mistakes, value.slice(1), [...value, ...value]].map((mistake) => JSON.stringify(mistake)),
        ),
        grade: ([reply = '']) => gradeJson(reply, value),
      };
    });
  },
};

function describeParcel(parcel: Parcel, columns: readonly Column[]): JsonValue {
  const entries = columns.map(({ name, field }) => [name, field.value(parcel)] as const);
  return { mark: parcel.id, ...Object.fromEntries(entries) };
}

function drawColumns(random: Random): Column[] {
  return random.sample(fields, random.int(3, 5)).map((field) => ({ name: random.pick(field.names), field }));
}

function describe(random: Random, columns: readonly Column[], order: string, material: string): string {
  const keys = [
    '- "mark": its mark, a string',
    ...columns.map(({ name, field }) => `- "${name}": ${field.text}`),
  ].join('\n');
  const task = random.pick([
    `Turn these notes into a JSON array with one object for each parcel, ${order}. Each object has exactly these keys:`,
    `Make a JSON array of the parcels below, ${order}. An object for a parcel has these keys and no others:`,
  ]);
  const close = random.pick([
    'Reply with the JSON array only. A code fence around it is fine; any other text is not.',
    'Your reply is read by a program: nothing but the array, with or without a code fence.',
  ]);
  return `${task}\n${keys}\n\n${material}\n\n${close}`;
}
