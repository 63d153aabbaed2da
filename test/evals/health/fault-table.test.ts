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

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const checks = drawnChecks(2);

/** The faults that the report of some check does not name, with its first two sentences. */
async function missedOf(texts: typeof plantedFaults, tools: typeof toolFaults): Promise<readonly string[]> {
  /** For each fault, the line of its worst report. */
  const lines = new Map<string, string>();
  const missed = new Set<string>();
  const read = (name: string, said: RegExp, findings: readonly Finding[]) => {
    const sentences = findings.slice(0, 2).map(({ sentence }) => sentence);
    const place = sentences.findIndex((one) => said.test(one)) + 1;
    if (!missed.has(name) && (place !== 1 || !lines.has(name)))
      lines.set(name, `${place || 'no'} | ${name} | ${sentences.join(' ')}`);
    if (place === 0) missed.add(name);
  };
  for (const check of checks) {
    for (const { name, plant, said } of texts)
      read(name, said, (await checkAgent(plant(healthyAgent), check)).findings);
    for (const { name, plant, said } of tools)
      read(`tools: ${name}`, said, (await tryTools(plant(toolAgent), check.seed)).findings);
  }
  if (isLong) for (const line of lines.values()) console.log(line);
  return [...missed].map((name) => lines.get(name) ?? name);
}

test('names every fault that the rules were written for in the first two sentences', async () => {
  expect(await missedOf(plantedFaults, toolFaults)).toEqual([]);
}, 900_000);

test('names nine of ten faults that were written after the rules', async () => {
  const count = laterFaults.length + laterToolFaults.length;
  expect(count).toBeGreaterThanOrEqual(60);
  expect((await missedOf(laterFaults, laterToolFaults)).length).toBeLessThanOrEqual(count / 10);
}, 900_000);
