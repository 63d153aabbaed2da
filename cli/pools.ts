/**
 * Keeps `deploy/` and the documents in step with the pools in `workers/pools.ts`.
 *
 * Usage: bun cli/pools.ts update the files
 *        bun cli/pools.ts --check list outdated files, and exit with 1 if there are any
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '#runtime/project-files.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { poolNames, pools as poolsByName, workerProcessesFor } from '#workers/pool-registry.ts';
import { renderOptionalPool, renderScaling, renderWorkers } from './pools/render-kubernetes.ts';
import {
  renderComposeServices,
  renderOptionalResources,
  renderScrapeTargets,
  renderTable,
  replaceRegion,
} from './pools/render-regions.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const pools = poolNames.map((name) => poolsByName[name]);
const optionalPools = pools.filter(({ requires }) => requires !== null);

const files: Readonly<Record<string, string>> = {
  'deploy/kubernetes/workers.yaml': renderWorkers(pools.filter(({ requires }) => requires === null)),
  'deploy/kubernetes/keda.yaml': renderScaling(pools),
  ...Object.fromEntries(
    optionalPools.map((pool) => [`deploy/kubernetes/${pool.name}.yaml`, renderOptionalPool(pool)]),
  ),
};
const regions: Readonly<Record<string, string>> = {
  'deploy/compose.yml': renderComposeServices(pools),
  'deploy/kubernetes/kustomization.yaml': renderOptionalResources(pools),
  'deploy/prometheus.yml': renderScrapeTargets(workerProcessesFor(parseSettings({}))),
  'docs/operating.md': renderTable(pools),
};

const outdated: string[] = [];
for (const [path, text] of Object.entries(files)) update(path, text);
for (const [path, region] of Object.entries(regions)) {
  const text = replaceRegion(read(path), region);
  if (text === null) {
    console.error(
      `${path} has no lines with \`pools: begin\` and \`pools: end\`. Add them around:\n${region}`,
    );
    process.exit(1);
  }
  update(path, text);
}
for (const path of outdated) console.log(values.check ? `${path} is out of date` : `updated ${path}`);
if (outdated.length === 0) console.log('deploy/ and docs/ match the pools.');
if (values.check && outdated.length > 0) {
  console.error('Run `bun cli/pools.ts` to update them.');
  process.exit(1);
}

function read(path: string): string {
  const file = join(projectFolder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function update(path: string, text: string): void {
  if (read(path) === text) return;
  outdated.push(path);
  if (!values.check) writeFileSync(join(projectFolder, path), text);
}
