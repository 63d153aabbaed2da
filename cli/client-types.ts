/**
 * Writes what the clients know of the API from the hub's own OpenAPI document: `bun cli/client-types.ts`. With
 * `--check` it only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeEndpoints } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes/index.ts';
import { isForAgents } from '#api/routes/reference.ts';
import { pythonOperationsOf, typesOf } from './client-types/types-of.ts';

const document = describeEndpoints(
  hubEndpoints.filter((endpoint) => endpoint.hidden !== true && isForAgents(endpoint)),
  { baseUrl: 'https://hub.example', version: '0', audience: 'agents' },
);
const parsed = JSON.parse(JSON.stringify(document));
const files = {
  'src/api-types.ts': typesOf(parsed),
  'python/agent_hub_client/_operations.py': pythonOperationsOf(parsed),
};
for (const [name, text] of Object.entries(files)) {
  const file = join(import.meta.dirname, '..', 'client', name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`client/${name} is out of date: run \`npx bun cli/client-types.ts\`.`);
    process.exit(1);
  }
}
