/** Operators plan with the limits in docs/operating.md: they match the code. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import * as limits from '#actors/limits.ts';

const guide = join(import.meta.dirname, '..', '..', 'docs', 'operating.md');
const row = /^\| `(?<bound>\w+)` +\| (?<value>[\d,]+)(?<unit> ms)? /gm;

test('the operating guide names every limit of the actors, with its value and unit', async () => {
  const text = await Bun.file(guide).text();
  const table = text.slice(text.indexOf('### The bounds of seat actors'), text.indexOf('## Watching'));
  const rows = [...table.matchAll(row)].map(({ groups }) => groups ?? {});
  expect(
    Object.fromEntries(rows.map(({ bound = '', value = '' }) => [bound, Number(value.replaceAll(',', ''))])),
  ).toEqual({
    ...limits,
  });
  for (const { bound = '', unit } of rows)
    expect([bound, unit !== undefined]).toEqual([bound, bound.endsWith('Ms')]);
});
