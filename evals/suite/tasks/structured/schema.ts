/** A nested document that must follow a JSON Schema: groups, codes, and sums that no note states. */
import type { JsonValue } from '../../graders/read-json.ts';
import { gradeJson } from '../../grading/grade-json.ts';
import { firstDraft } from '../../language/draft.ts';
import type { Random } from '../../random.ts';
import type { Kind } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, markOf } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import type { Parcel } from './parcels.ts';

/** The choices of one task: how parcels are grouped, and the names of keys and codes. */
interface Design {
  readonly byTown: boolean;
  readonly groups: string;
  readonly group: string;
  readonly sum: string;
  readonly items: string;
  readonly care: string;
  readonly fragileCode: string;
  readonly sturdyCode: string;
  readonly isDayNumber: boolean;
  readonly day: string;
}

export const schemaKind: Kind = {
  name: 'schema',
  make(random, level) {
    return firstDraft(() => {
      const design = drawDesign(random);
      const draft = draftDocument(random, level, (parcels) => makeDocument(parcels, design));
      if (draft === null) return null;
      const { depot, corrections, value, mistakes } = draft;
      const right = JSON.stringify(value);
      const unsummed = JSON.stringify(value).replace(/(_kg":)(\d+)/, '$1$20');
      return {
        turns: [describe(random, design, describeMaterial(random, depot, corrections))],
        expected: right,
        answer: null,
        ...documentReplies(right, 'json', [
          ...mistakes.map((mistake) => JSON.stringify(mistake)),
          unsummed,
          JSON.stringify(makeDocument(depot.parcels.slice(1), design)),
        ]),
        grade: ([reply = '']) => gradeJson(reply, value),
      };
    });
  },
};

function drawDesign(random: Random): Design {
  const [fragileCode = '', sturdyCode = ''] = random.sample('FGKPQSTVX'.split(''), 2);
  const byTown = random.chance(0.5);
  return {
    byTown,
    groups: random.pick(byTown ? ['towns', 'places', 'stops'] : ['years', 'periods']),
    group: byTown ? random.pick(['town', 'name']) : random.pick(['year', 'period']),
    sum: random.pick(['total_kg', 'sum_kg', 'load_kg']),
    items: random.pick(['parcels', 'items', 'freight']),
    care: random.pick(['care', 'class', 'code']),
    fragileCode,
    sturdyCode,
    isDayNumber: random.chance(0.5),
    day: random.pick(['due', 'day', 'until']),
  };
}

function makeDocument(parcels: readonly Parcel[], design: Design): JsonValue {
  const keyOf = ({ town, due }: Parcel) => (design.byTown ? town : due.slice(0, 4));
  const keys = [...new Set(parcels.map(keyOf))].toSorted();
  const groups = keys.map((key) => {
    const members = parcels.filter((parcel) => keyOf(parcel) === key);
    return {
      [design.group]: design.byTown ? key : Number(key),
      [design.sum]: members.reduce((sum, { weight }) => sum + weight, 0),
      [design.items]: members
        .toSorted((left, right) => markOf(left) - markOf(right))
        .map(({ id, due, fragile }) => ({
          mark: id,
          [design.day]: design.isDayNumber ? Number(due.replaceAll('-', '')) : due,
          [design.care]: fragile ? design.fragileCode : design.sturdyCode,
        })),
    };
  });
  return { count: parcels.length, [design.groups]: groups };
}

function describe(random: Random, design: Design, material: string): string {
  const opening = random.pick([
    'Write the JSON document that describes the parcels below and is valid under this schema:',
    'The parcels below have to become one JSON document under this schema:',
  ]);
  const close = random.pick([
    'Reply with the document only, with or without a code fence.',
    'Your whole reply is the JSON document; a code fence around it is allowed.',
  ]);
  return `${opening}\n${JSON.stringify(schemaOf(design))}\n\n${material}\n\n${close}`;
}

function closed(properties: Record<string, JsonValue>): JsonValue {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function schemaOf(design: Design): JsonValue {
  const item = closed({
    mark: { type: 'string' },
    [design.day]: design.isDayNumber
      ? { type: 'integer', description: 'the day it is due, such as 20300131 for 31 January 2030' }
      : { type: 'string', description: 'the day it is due, such as "2030-01-31"' },
    [design.care]: {
      enum: [design.fragileCode, design.sturdyCode],
      description: `${design.fragileCode} if it is fragile, ${design.sturdyCode} if it is not`,
    },
  });
  const group = closed({
    [design.group]: design.byTown
      ? { type: 'string', description: 'the town where the parcels go' }
      : { type: 'integer', description: 'the year in which the parcels are due' },
    [design.sum]: { type: 'integer', description: 'weight of these parcels together, in kg' },
    [design.items]: {
      type: 'array',
      items: item,
      description: 'sorted by the number in the mark, lowest first',
    },
  });
  return closed({
    count: { type: 'integer', description: 'how many parcels there are in all' },
    [design.groups]: {
      type: 'array',
      items: group,
      description: `one for each ${design.byTown ? 'town, in alphabetical order' : 'year, earliest first'}`,
    },
  });
}
