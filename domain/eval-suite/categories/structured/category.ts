import { bareJson } from './graders/bare-json.ts';
import { csvEquals, csvForm } from './graders/csv.ts';
import { exactLines } from './graders/exact-lines.ts';
import { jsonEquals } from './graders/json-equals.ts';
import { jsonSchema } from './graders/json-schema.ts';
import { jsonSum } from './graders/json-sum.ts';
import type { Category } from '../../category.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';
import { makeCompose } from './make-compose.ts';
import { makeExtract } from './make-extract.ts';
import { makeTable } from './make-table.ts';
import { makeTemplate } from './make-template.ts';

const makers = [makeExtract, makeCompose, makeTable, makeTemplate];

export const category: Category = {
  name: 'structured',
  description: 'JSON under a schema, CSV and templates: parsed, validated and compared value by value.',
  order: 2,
  weight: 15,
  caseCount: makers.length + 1,
  graders: [bareJson, csvEquals, csvForm, exactLines, jsonEquals, jsonSchema, jsonSum],
  generate(random) {
    const difficulties = spreadDifficulties(random, this.caseCount);
    return [...makers, random.pick(makers)].map((make, position) =>
      make(random, difficulties[position] ?? 'medium'),
    );
  },
};
