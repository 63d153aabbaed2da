/** The gifts of a dossier: none can be taken for another, and questions start from them more often than from a name. */
import { expect, test } from 'bun:test';
import { countTokens } from '#evals/count-tokens.ts';
import type { Level } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';
import { drawGifts } from '#evals/suite/tasks/calibration/gifts.ts';
import { makeDraft, missing } from '#evals/suite/tasks/calibration/dossier-kinds.ts';
import { themes } from '#evals/suite/tasks/calibration/themes.ts';
import { drawSeeds } from '../draw-seeds.ts';

const seeds = drawSeeds('gifts of a dossier', 40).slice(0, 100);
const levels: readonly Level[] = [3, 8];

test.each(levels)(
  'each entity of level %d has a gift of a family of its own, and few questions name one',
  (level) => {
    let questionCount = 0;
    let byName = 0;
    let baseless = 0;
    for (const seed of seeds) {
      const { dossier, questions } = makeDraft(createRandom(seed, `gifts/${level}`), level, 'missing');
      const { entities, gifts, theme } = dossier;
      const families = [...gifts.given, ...gifts.near.map(({ goods }) => goods)].map(({ family }) => family);
      expect(gifts.given).toHaveLength(entities.length);
      expect(new Set(families).size).toBe(families.length);
      // Either description comes from one of these.
      const opening = theme.headedBy.map((text) => text.slice(0, text.indexOf('{')));
      for (const { text, isBaseless } of questions) {
        const isByGift = text.includes('the governor');
        questionCount += 1;
        if (isBaseless && isByGift) baseless += 1;
        if (!isByGift && !opening.some((start) => text.includes(start))) byName += 1;
      }
    }
    expect(baseless).toBeGreaterThan(0);
    // A share of 0.15 is expected; four standard errors above it.
    expect(byName / questionCount).toBeLessThan(0.15 + 4 * Math.sqrt((0.15 * 0.85) / questionCount));
  },
);

test('no theme is about so many goods that gifts run out', () => {
  for (const theme of themes)
    for (const seed of seeds)
      expect(drawGifts(createRandom(seed, theme.noun), theme, 30).given).toHaveLength(30);
});

test('a dossier of the last level stays well below 8,000 tokens', () => {
  for (const seed of seeds) {
    const task = missing.make(createRandom(seed, 'missing/8'), 8, { maxPromptTokens: 8_000 });
    expect(countTokens(task.turns.join('\n'))).toBeLessThan(7_600);
  }
});
