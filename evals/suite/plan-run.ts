/**
 * Plans the cases of a run from its seed and the shares earned so far. Pure: the same seed and shares give the same
 * cases in either mode. A later part is planned once every case of the earlier parts has a share.
 */
import { adaptiveLevels, casesInPart, type Part, routingLevels } from './ladder/choose-levels.ts';
import type { LadderVerdict } from './ladder/ability.ts';
import { drawCategories, ladderCategory, type Level, levelNamed, type RunSize } from './ladder/ladder.ts';
import { createRandom, type Random } from '../random.ts';
import { suiteName, suiteVersion } from './suite-version.ts';
import type { Category, Kind, Task, TaskLimits } from './task.ts';

export interface RunKey {
  readonly seed: string;
  readonly runSize: RunSize;
}

export interface PlannedCase {
  /** In the order in which cases are asked. */
  readonly index: number;
  /** Unique within the run, such as `reasoning-3`. */
  readonly id: string;
  readonly category: string;
  readonly kind: string;
  readonly level: Level;
  readonly stage: 1 | 2;
  /** The share of the suite's total of 100. */
  readonly weight: number;
  /** Which repetition of its case this is, from 1; absent if cases are asked once. */
  readonly trial?: number;
}

/**
 * The cases planned so far, in order.
 *
 * @param levels those of an earlier run, by index, so that no level depends on verdicts
 */
export function planRun(
  categories: readonly Category[],
  { seed, runSize }: RunKey,
  shares: ReadonlyMap<number, number>,
  levels: readonly number[] | null = null,
): readonly PlannedCase[] {
  const streamOf = (label: string) => createRandom(seed, `${suiteName}/${suiteVersion}/${label}`);
  const slots = drawSlots(categories, runSize, streamOf);
  const planned: PlannedCase[] = [];
  for (const part of parts) {
    const verdicts = verdictsOf(planned, shares);
    // Some earlier case is still open.
    if (levels === null && verdicts.length < planned.length) break;
    const random = streamOf(`levels/${part}`);
    const own = slots.slice(planned.length, planned.length + casesInPart(runSize, part));
    const names = own.map(({ category }) => category);
    const kept = levels?.slice(planned.length, planned.length + own.length).map(levelNamed);
    for (const level of kept ?? drawLevels(random, part, names, verdicts)) {
      const index = planned.length;
      const slot = slots[index];
      if (slot === undefined) throw new RangeError(`A run of ${runSize} has no case ${index}.`);
      planned.push({ index, ...slot, level, stage: part === 0 ? 1 : 2 });
    }
  }
  return planned;
}

function drawLevels(
  random: Random,
  part: Part,
  names: readonly string[],
  verdicts: readonly LadderVerdict[],
): readonly Level[] {
  return part === 0 ? routingLevels(random, names) : adaptiveLevels(random, names, verdicts);
}

/** How many cases the first stage has. */
export function firstStageOf(runSize: RunSize): number {
  return casesInPart(runSize, 0);
}

/** Tasks made last. A run reads each of its tasks several times: to hand it out, to grade it and to show it. */
const kept = new Map<string, { readonly kind: Kind; readonly task: Task }>();
/** A run of 40 cases fits. A task takes 10 to 600 kB. */
const keptMax = 48;

/** The task of a planned case; byte-identical each time. */
export function makeTask(
  categories: readonly Category[],
  seed: string,
  { index, category, kind, level }: Pick<PlannedCase, 'index' | 'category' | 'kind' | 'level'>,
  limits: TaskLimits,
): Task {
  const own = categories.find(({ name }) => name === category);
  const found = own?.kinds.find(({ name }) => name === kind);
  if (found === undefined) throw new RangeError(`The suite has no kind ${category}/${kind}.`);
  const stream = `${suiteName}/${suiteVersion}/case/${index}/${kind}/${level}`;
  const key = `${seed}/${stream}/${limits.maxPromptTokens}`;
  const before = kept.get(key);
  const task = before?.kind === found ? before.task : found.make(createRandom(seed, stream), level, limits);
  kept.delete(key);
  kept.set(key, { kind: found, task });
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  return task;
}

const parts: readonly Part[] = [0, 1, 2];

type Slot = Pick<PlannedCase, 'id' | 'category' | 'kind' | 'weight'>;
type StreamOf = (label: string) => Random;

/** Everything about the cases that does not depend on verdicts. The kinds of a category take turns. */
function drawSlots(categories: readonly Category[], runSize: RunSize, streamOf: StreamOf): Slot[] {
  const names = drawCategories(streamOf('categories'), runSize);
  const nextKind = takeTurns(categories, (name) => streamOf(`kinds/${name}`));
  const counts = new Map<string, number>();
  return names.map((name) => {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const { weight, cases } = ladderCategory(name);
    return {
      id: `${name}-${number}`,
      category: name,
      kind: nextKind(name),
      weight: weight / (cases * (runSize / 40)),
    };
  });
}

/** Names the next kind of a category each time. */
function takeTurns(
  categories: readonly Category[],
  streamOf: (category: string) => Random,
): (category: string) => string {
  const orders = new Map(categories.map(({ name, kinds }) => [name, streamOf(name).shuffle(kinds)]));
  const turns = new Map<string, number>();
  return (name) => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const kinds = orders.get(name) ?? [];
    const kind = kinds[turn % kinds.length];
    if (kind === undefined) throw new RangeError(`The suite has no category ${name}.`);
    return kind.name;
  };
}

function verdictsOf(planned: readonly PlannedCase[], shares: ReadonlyMap<number, number>) {
  return planned.flatMap(({ index, category, level }) => {
    const share = shares.get(index);
    return share === undefined ? [] : [{ category, level, share }];
  });
}
