/**
 * Writes what the clients know of the API from the hub's own OpenAPI document: `bun cli/client-types.ts`. With
 * `--check` it only compares.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApiDocument } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes.ts';
import { isForAgents } from '#api/openapi/routes.ts';
import { pythonFlagsOf, pythonOperationsOf, typesOf } from './client-types/types-of.ts';

const document = buildOpenApiDocument(
  hubEndpoints.filter((endpoint) => endpoint.hidden !== true && isForAgents(endpoint)),
  { baseUrl: 'https://hub.example', version: '0' },
);
const parsed = JSON.parse(JSON.stringify(document));
update('src/api-types.ts', typesOf(parsed));
update('python/agent_hub_client/_operations.py', pythonOperationsOf(parsed));
// They are made of the fields above.
const { flags, usage } = await import('#client/command/flags.ts');
const { redemptionFields } = await import('#client/api-types.ts');
const python = pythonFlagsOf(flags, Object.keys(redemptionFields), usage);
update('python/agent_hub_client/command/_flags.py', python);

function update(name: string, text: string): void {
  const file = join(import.meta.dirname, '..', 'client', name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`client/${name} is out of date: run \`npx bun cli/client-types.ts\`.`);
    process.exit(1);
  }
}
