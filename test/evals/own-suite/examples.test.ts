/** The suites that ship as examples are sound, and every one of their cases proves its graders. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDocument } from '#evals/own-suite/check-document.ts';
import { readDocument } from '#evals/own-suite/read-document.ts';
import { trySamples } from '#evals/own-suite/try-samples.ts';

const folder = join(import.meta.dirname, '../../../evals/own-suite/examples');

test.each(readdirSync(folder).map((file) => [file]))(
  '%s has 60 cases, each with replies that pass and fail',
  async (file) => {
    const read = readDocument(readFileSync(join(folder, file), 'utf8'), 'yaml');
    if (!read.ok) throw new Error(JSON.stringify(read.faults));
    const checked = checkDocument(read.value);
    if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
    const { cases } = checked.document;
    expect(cases).toHaveLength(60);
    expect(
      cases.filter(({ accepted, refused }) => (accepted?.length ?? 0) === 0 || (refused?.length ?? 0) === 0),
    ).toEqual([]);
    expect((await trySamples(checked.document.cases.entries())).faults).toEqual([]);
  },
);

test.each(readdirSync(folder).map((file) => [file]))(
  'one reply to all cases of %s passes in few',
  async (file) => {
    const read = readDocument(readFileSync(join(folder, file), 'utf8'), 'yaml');
    const checked = checkDocument(read.ok ? read.value : null);
    if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
    const everything = [...new Set(checked.document.cases.flatMap(({ accepted = [] }) => accepted))];
    const constant = [...new Set(everything.map((each) => JSON.stringify(each)))].slice(0, 40);
    for (const text of constant) {
      const sample = JSON.parse(text) as (typeof everything)[number]; // It was one of them.
      const cases = checked.document.cases.map((each) => ({ ...each, accepted: [sample], refused: [] }));
      const { replies } = await trySamples(cases.entries());
      expect(replies.filter(({ passed }) => passed === true).length).toBeLessThan(20);
    }
  },
);
