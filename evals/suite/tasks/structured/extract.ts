/** A flat JSON array from notes and later corrections. */
import type { JsonValue } from '../../../own-suite/graders/read-json.ts';
import { gradeJson } from '../../grading/grade-json.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, orders } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import { type Depot, listNames, type Parcel } from './parcels.ts';
import wordings from './requests.json' with { type: 'json' };

const { openings, layouts, closings, fields: texts } = wordings.extract;
const { contents } = wordings;

interface Field {
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly value: (parcel: Parcel) => JsonValue;
}

const goodsField: Field = {
  texts: texts.goods,
  names: ['goods', 'content', 'item'],
  value: ({ goods }) => goods.name,
};

const fields: readonly Field[] = [
  { texts: texts.town, names: ['town', 'to', 'destination'], value: ({ town }) => town },
  { texts: texts.weight, names: ['weight', 'kg', 'mass'], value: ({ weight }) => weight },
  { texts: texts.due, names: ['due', 'deadline', 'day'], value: ({ due }) => due },
  { texts: texts.fragile, names: ['fragile', 'care', 'breakable'], value: ({ fragile }) => fragile },
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
        turns: [describe(random, columns, order.texts, depot, describeMaterial(random, depot, corrections))],
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
  const others = random.sample(fields, random.int(2, 4));
  return random.shuffle([goodsField, ...others]).map((field) => ({ name: random.pick(field.names), field }));
}

function describe(
  random: Random,
  columns: readonly Column[],
  orderTexts: readonly string[],
  depot: Depot,
  material: string,
): string {
  const layout = drawWording(random, layouts);
  const keys = [
    { name: 'mark', of: texts.mark },
    ...columns.map(({ name, field }) => ({ name, of: field.texts })),
  ];
  const listed = keys.map(({ name, of }) => fillIn(layout, { name, text: drawWording(random, of) }));
  const task = fillIn(drawWording(random, openings), { order: drawWording(random, orderTexts) });
  const names = listNames(random, depot).join(', ');
  const words = fillIn(drawWording(random, contents), { names });
  return `${task}\n${listed.join('\n')}\n\n${words}\n\n${material}\n\n${drawWording(random, closings)}`;
}
