import { sqliteKit } from './sqlite-column-kit.ts';
import { makeSchema } from './make-schema.ts';

export const sqliteTables = makeSchema(sqliteKit);
