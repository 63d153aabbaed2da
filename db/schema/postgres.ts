import { postgresKit } from './column-kit.ts';
import { makeSchema } from './make-schema.ts';

export const postgresTables = makeSchema(postgresKit);
