/**
 * Plants faults into healthy agents, one at a time, and reads the first two sentences of the report: do they name it?
 * The faults of one list are known to the rules; those of the other were written after the rules, to see how far they
 * reach. `npm run long -- worlds` prints the table.
 */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import { expect, test } from 'bun:test';
import { checkAgent } from './check-agent.ts';
import { drawnChecks } from './drawn-checks.ts';
import { healthyAgent } from './healthy-agent.ts';
import { laterFaults } from './later-faults.ts';
import { laterToolFaults } from './later-tool-faults.ts';
import { plantedFaults } from './planted-faults.ts';
import { toolFaults } from './tool-faults.ts';
import { toolAgent, tryTools } from './tool-agent.ts';

interface Row {
  readonly name: string;
  /** The place of the first sentence that names the fault in the worst run, from 1; 0 if none of two does. */
  readonly sentence: number;
  readonly said: string;
}

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const checks = drawnChecks(2);

function rowOf(name: string, said: RegExp, reports: readonly (readonly Finding[])[]): Row {
  const rows = reports.map((findings) => {
    const sentences = findings.slice(0, 2).map(({ sentence }) => sentence);
    return { name, sentence: sentences.findIndex((one) => said.test(one)) + 1, said: sentences.join(' ') };
  });
  const [worst] = rows.toSorted((one, other) => (one.sentence || 3) - (other.sentence || 3)).toReversed();
  if (worst === undefined) throw new Error('There are reports.');
  return worst;
}

async function tableOf(texts: typeof plantedFaults, tools: typeof toolFaults): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, plant, said } of texts) {
    const reports: (readonly Finding[])[] = [];
    for (const check of checks) reports.push((await checkAgent(plant(healthyAgent), check)).findings);
    rows.push(rowOf(name, said, reports));
  }
  for (const { name, plant, said } of tools) {
    const reports: (readonly Finding[])[] = [];
    for (const { seed } of checks) reports.push((await tryTools(plant(toolAgent), seed)).findings);
    rows.push(rowOf(`tools: ${name}`, said, reports));
  }
  if (isLong) for (const row of rows) console.log(`${row.sentence || 'no'} | ${row.name} | ${row.said}`);
  return rows;
}

function missedIn(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ sentence }) => sentence === 0);
}

test('names every fault that the rules were written for in the first two sentences', async () => {
  const rows = await tableOf(plantedFaults, toolFaults);
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(missedIn(rows)).toEqual([]);
}, 900_000);

test('names nine of ten faults that were written after the rules', async () => {
  const rows = await tableOf(laterFaults, laterToolFaults);
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(missedIn(rows).map(({ name }) => name).length).toBeLessThanOrEqual(rows.length / 10);
}, 900_000);
