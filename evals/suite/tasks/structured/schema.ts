/** A nested document that must follow a JSON Schema: groups, codes, and sums that no note states. */
import type { JsonValue } from '../../../own-suite/graders/read-json.ts';
import { gradeJson } from '../../grading/grade-json.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import { documentReplies } from './document-replies.ts';
import { draftDocument, markOf } from './draft-documents.ts';
import { describeMaterial } from './material.ts';
import { type Depot, listNames, type Parcel } from './parcels.ts';
import requests from './requests.json' with { type: 'json' };

const wordings = requests.schema;

/** The choices of one task: how parcels are grouped, and the names of keys and codes. */
interface Design {
  readonly byTown: boolean;
  readonly groups: string;
  readonly group: string;
  readonly sum: string;
  readonly items: string;
  readonly goods: string;
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
        turns: [describe(random, design, depot, describeMaterial(random, depot, corrections))],
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
    goods: random.pick(['goods', 'contents', 'cargo']),
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
        .map(({ id, due, fragile, goods }) => ({
          mark: id,
          [design.day]: design.isDayNumber ? Number(due.replaceAll('-', '')) : due,
          [design.goods]: goods.name,
          [design.care]: fragile ? design.fragileCode : design.sturdyCode,
        })),
    };
  });
  return { count: parcels.length, [design.groups]: groups };
}

function describe(random: Random, design: Design, depot: Depot, material: string): string {
  const opening = drawWording(random, wordings.openings);
  const schema = JSON.stringify(schemaOf(random, design, listNames(random, depot)));
  return `${opening}\n${schema}\n\n${material}\n\n${drawWording(random, wordings.closings)}`;
}

function closed(properties: Record<string, JsonValue>): JsonValue {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function schemaOf(random: Random, design: Design, names: readonly string[]): JsonValue {
  const description = (texts: readonly string[]) => ({ description: drawWording(random, texts) });
  const { fragileCode: fragile, sturdyCode: sturdy } = design;
  const item = closed({
    mark: { type: 'string' },
    [design.day]: design.isDayNumber
      ? { type: 'integer', ...description(wordings.day_number) }
      : { type: 'string', ...description(wordings.day) },
    [design.goods]: { enum: names, ...description(wordings.goods) },
    [design.care]: {
      enum: random.shuffle([fragile, sturdy]),
      description: fillIn(drawWording(random, wordings.care), { fragile, sturdy }),
    },
  });
  const group = closed({
    [design.group]: design.byTown
      ? { type: 'string', ...description(wordings.town) }
      : { type: 'integer', ...description(wordings.year) },
    [design.sum]: { type: 'integer', ...description(wordings.sum) },
    [design.items]: { type: 'array', items: item, ...description(wordings.items) },
  });
  return closed({
    count: { type: 'integer', ...description(wordings.count) },
    [design.groups]: {
      type: 'array',
      items: group,
      ...description(design.byTown ? wordings.by_town : wordings.by_year),
    },
  });
}
