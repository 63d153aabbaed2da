/**
 * Measures the scores of reference agents on an even ladder: all categories by their weight, all levels and kinds in
 * equal parts. `cli/eval-norms.ts` stores the figures of the suite and its example pack, `hub eval-pack check` those of
 * a pack.
 */
import { type Level, ladderCategories, ladderLevels } from '../ladder/ladder.ts';
import { createRandom } from '../random.ts';
import type { Category, Task, TaskLimits } from '../task.ts';
import {
  constantAgent,
  constantReplies,
  echoAgent,
  emptyAgent,
  mean,
  oracleAgent,
  templateAgent,
} from './reference-agents.ts';

export interface MeasuredNorm {
  readonly name:
    | 'empty'
    | 'echo'
    | 'best constant'
    | 'template bot'
    | 'oracle 0.5'
    | 'oracle 0.8'
    | 'oracle 0.95';
  /** 0 to 100. */
  readonly score: number;
}

/** Tasks of one kind at one level. */
interface Rung {
  readonly category: string;
  readonly kind: string;
  readonly level: Level;
  readonly tasks: readonly Task[];
}

const limits: TaskLimits = { maxPromptTokens: 8_000 };

/** @param categories all of the suite, or those of a pack; weighted as the ladder weights them */
export function measureNorms(categories: readonly Category[], seeds: readonly string[]): MeasuredNorm[] {
  const rungs = drawRungs(categories, seeds);
  const scoreOf = (agent: (task: Task) => number) =>
    scoreOn(categories, rungs, ({ tasks }) => mean(tasks.map(agent)));
  return [
    { name: 'empty', score: scoreOf(emptyAgent) },
    { name: 'echo', score: scoreOf(echoAgent) },
    { name: 'best constant', score: scoreOfBestConstants(categories, rungs) },
    { name: 'template bot', score: scoreOf(templateAgent) },
    { name: 'oracle 0.5', score: scoreOf(oracleAgent(0.5)) },
    { name: 'oracle 0.8', score: scoreOf(oracleAgent(0.8)) },
    { name: 'oracle 0.95', score: scoreOf(oracleAgent(0.95)) },
  ];
}
function drawRungs(categories: readonly Category[], seeds: readonly string[]): Rung[] {
  return categories.flatMap(({ name, kinds }) =>
    kinds.flatMap((kind) =>
      ladderLevels.map((level) => ({
        category: name,
        kind: kind.name,
        level,
        tasks: seeds.map((seed) => kind.make(createRandom(seed, `${kind.name}/${level}`), level, limits)),
      })),
    ),
  );
}

/** The score on the even ladder, with the weights of the categories that exist. */
function scoreOn(
  categories: readonly Category[],
  rungs: readonly Rung[],
  shareOf: (rung: Rung) => number,
): number {
  const weights = ladderCategories.filter(({ name }) =>
    categories.some((category) => category.name === name),
  );
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  const earned = weights.reduce((sum, { name, weight }) => {
    const own = rungs.filter(({ category }) => category === name);
    return sum + weight * mean(own.map(shareOf));
  }, 0);
  return total === 0 ? 0 : (100 * earned) / total;
}

/** The best constant for each kind, chosen in hindsight: no agent with a single constant can do better. */
function scoreOfBestConstants(categories: readonly Category[], rungs: readonly Rung[]): number {
  const best = new Map<string, (task: Task) => number>();
  for (const kind of new Set(rungs.map((rung) => rung.kind))) {
    const tasks = rungs.filter((rung) => rung.kind === kind).flatMap((rung) => rung.tasks);
    const ranked = constantReplies
      .map((text) => ({ text, share: mean(tasks.map(constantAgent(text))) }))
      .toSorted((left, right) => right.share - left.share);
    best.set(kind, constantAgent(ranked[0]?.text ?? ''));
  }
  return scoreOn(categories, rungs, ({ kind, tasks }) => mean(tasks.map(best.get(kind) ?? emptyAgent)));
}
