/**
 * Measures and prints the scores of the reference agents on the kinds of the suite and of its example pack.
 *
 * Usage: bun cli/eval-norms.ts update the file from which scorecards take them
 *        bun cli/eval-norms.ts --check only print them
 *        bun cli/eval-norms.ts --seeds 40 with more seeds than the default
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { categories } from '#evals/suite/index.ts';
import { measureNorms } from '#evals/suite/norms/measure-norms.ts';
import { loadPack } from '#evals/suite/packs/load-packs.ts';
import { createRandom } from '#evals/suite/random.ts';
import { projectFolder } from '#runtime/project-files.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, seeds: { type: 'string', default: '20' } },
});
const random = createRandom('0'.repeat(32), 'norms');
const seeds = Array.from({ length: Number(values.seeds) }, () => random.text('0123456789abcdef', 32));

const example = await loadPack(join(projectFolder, 'evals/suite/example-pack'), new Set(), {
  retired: true,
});
if (example === null) throw new Error('The example pack is missing.');
const onExample = measureNorms(example.categories, seeds);
const norms = measureNorms(categories, seeds).map(({ name, score }) => ({
  name,
  known: Number(score.toFixed(1)),
  example: Number((onExample.find((other) => other.name === name)?.score ?? 0).toFixed(1)),
}));
console.table(norms);
if (!values.check) {
  const rows = norms.map(
    (norm) =>
      `    ${JSON.stringify(norm)
        .replaceAll(/([:,{])/g, '$1 ')
        .replace('}', ' }')}`,
  );
  await Bun.write(
    join(projectFolder, 'evals/suite/norms/measured-norms.json'),
    `{\n  "norms": [\n${rows.join(',\n')}\n  ]\n}\n`,
  );
}
