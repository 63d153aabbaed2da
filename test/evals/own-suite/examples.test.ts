/** The example that ships is sound, shows every grader, and each of its cases proves its graders. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDocument } from '#evals/own-suite/check-document.ts';
import { graders } from '#evals/own-suite/graders/registry.ts';
import { readDocument } from '#evals/own-suite/read-document.ts';
import { trySamples } from '#evals/own-suite/try-samples.ts';

const folder = join(import.meta.dirname, '../../../evals/own-suite/examples');

test.each(readdirSync(folder).map((file) => [file]))('%s proves its graders', async (file) => {
  const read = readDocument(readFileSync(join(folder, file), 'utf8'), 'yaml');
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const checked = checkDocument(read.value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  expect(checked.warnings).toEqual([]);
  const { cases } = checked.document;
  const proved = cases.filter(
    ({ accepted, refused }) => (accepted?.length ?? 0) > 0 && (refused?.length ?? 0) > 1,
  );
  expect({ cases: cases.length, proved: proved.length }).toEqual({ cases: 12, proved: 12 });
  expect((await trySamples(cases.entries())).faults).toEqual([]);
});

test('the example shows every grader that needs no judge', () => {
  const text = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const shown = graders.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}:`).test(text));
  const missing = graders.map(({ name }) => name).filter((name) => !shown.includes(name));
  // An agent that reports no cost cannot be graded by it.
  expect(missing).toEqual(['contains_all', 'cost_usd', 'all', 'webhook', 'judge']);
});
