/**
 * Writes `client/src/api-types.ts` from the hub's own OpenAPI document: `bun cli/client-types.ts`. With
 * `--check` it only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeEndpoints } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes/index.ts';
import { isForAgents } from '#api/routes/reference.ts';
import { typesOf } from './client-types/types-of.ts';

const file = join(import.meta.dirname, '..', 'client', 'src', 'api-types.ts');
const document = describeEndpoints(
  hubEndpoints.filter((endpoint) => endpoint.hidden !== true && isForAgents(endpoint)),
  { baseUrl: 'https://hub.example', version: '0', audience: 'agents' },
);
const text = typesOf(JSON.parse(JSON.stringify(document)));
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('client/src/api-types.ts is out of date: run `npx bun cli/client-types.ts`.');
  process.exit(1);
}
