/** Structured output: JSON under a schema, CSV and a template, graded for form and for content. */
import type { Category } from '../category.ts';
import { spreadDifficulties } from '../language/spread-difficulties.ts';
import { makeCompose } from '../structured/make-compose.ts';
import { makeExtract } from '../structured/make-extract.ts';
import { makeTable } from '../structured/make-table.ts';
import { makeTemplate } from '../structured/make-template.ts';

const makers = [makeExtract, makeCompose, makeTable, makeTemplate];

export const category: Category = {
  name: 'structured',
  description: 'JSON under a schema, CSV and templates: parsed, validated and compared value by value.',
  order: 2,
  weight: 15,
  caseCount: makers.length + 1,
  generate(random) {
    const difficulties = spreadDifficulties(random, this.caseCount);
    return [...makers, random.pick(makers)].map((make, position) =>
      make(random, difficulties[position] ?? 'medium'),
    );
  },
};
