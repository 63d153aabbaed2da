import type { Category } from '../../task.ts';
import { extractKind } from './extract.ts';
import { schemaKind } from './schema.ts';
import { tableKind } from './table.ts';
import { templateKind } from './template.ts';

export const category: Category = {
  name: 'structured',
  description:
    'Turning notes on 1 to 40 records, with later corrections, into JSON, CSV and fixed lines. The values matter most.',
  kinds: [extractKind, schemaKind, tableKind, templateKind],
};
