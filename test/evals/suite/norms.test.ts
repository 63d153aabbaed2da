import { join } from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { loadTaskCategories } from '#evals/suite/load-tasks.ts';
import { loadPack } from '#evals/suite/packs/load-packs.ts';
import { norms } from '#evals/suite/norms.ts';
import { measureNorms } from '#evals/suite/norms/measure-norms.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { drawSeeds } from './draw-seeds.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);
/** The long form draws 20 seeds. */
const seeds = drawSeeds('norms', 1).slice(0, 20);

const exampleFolder = join(projectFolder, 'evals', 'suite', 'example-pack');
/** A single seed varies more than twenty. */
const slack = seeds.length > 1 ? 1.5 : 4;

test('agents that do no work score next to nothing, and oracles score what they know', async () => {
  const measured = measureNorms(loadTaskCategories(), seeds);
  const example = (await loadPack(exampleFolder, new Set(), { retired: true }))!;
  const unseen = measureNorms(example.categories, seeds);
  const shown = (some: typeof measured) =>
    some.map(({ name, score }) => `${name} ${score.toFixed(1)}`).join(', ');
  console.log(`norms: ${shown(measured)}`);
  console.log(`norms on the example pack: ${shown(unseen)}`);
  const scores = new Map<string, number>(measured.map(({ name, score }) => [name, score]));
  expect(scores.get('empty')).toBeLessThanOrEqual(2);
  expect(scores.get('echo')).toBeLessThanOrEqual(2);
  expect(scores.get('best constant')).toBeLessThanOrEqual(8);
  // The bot knows the forms of the public kinds, and nothing else.
  expect(unseen.find(({ name }) => name === 'template bot')?.score).toBeLessThanOrEqual(25);
  // A mistake earns a little where the right value in another form, or half the work, counts.
  for (const share of [0.5, 0.8, 0.95] as const) {
    const score = scores.get(`oracle ${share}`) ?? 0;
    expect(score).toBeGreaterThanOrEqual(100 * share);
    expect(score).toBeLessThanOrEqual(100 * share + 20 * (1 - share));
  }
  // The figures on scorecards are the measured ones, up to chance.
  for (const { name, known, unseen: onExample } of norms) {
    const far = (figure: number | null, own: typeof measured) =>
      Math.abs((figure ?? -100) - (own.find((other) => other.name === name)?.score ?? -200)) > slack;
    expect({ name, known: far(known, measured), unseen: far(onExample, unseen) }).toEqual({
      name,
      known: false,
      unseen: false,
    });
  }
});
