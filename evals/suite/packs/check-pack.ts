/**
 * Tests a pack with many seeds: a perfect solver, styles of presenting an answer, constants, and a bot that knows the
 * public kinds. Every figure has a limit, and `faults` lists what exceeds one.
 */
import { ladderLevels } from '../ladder/ladder.ts';
import { measureNorms } from '../norms/measure-norms.ts';
import type { Category, Kind, Task } from '../task.ts';
import { drawPackTask, findKindFaults } from './check-kind.ts';

/** Ways in which an agent may give an answer. */
const answerStyles: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `Answer: ${value}`,
  (value) => `**Answer:** ${value}`,
  (value) => `**Answer: ${value}**`,
  (value) => `Final answer: **${value}**`,
  (value) => `The answer is ${value}.`,
  (value) => `# Answer\n\n${value}`,
  (value) => `Let me work it out first.\n\nThen I checked it.\n\nAnswer: ${value}`,
  (value) => `<think>Is it something else? No.</think>\nAnswer: ${value}`,
  (value) => `<answer>${value}</answer>`,
  (value) => `Answer: \`${value}\``,
  (value) => `Answer:\r\n\r\n${value}\r\n`,
  (value) => `Answer: ${value} ✅`,
  (value) => `Answer: ${value}\n\nLet me know if you need anything else!`,
];

/** Replies that do not commit to the answer. */
const wrongStyles: readonly ((value: string, other: string) => string)[] = [
  (value, other) => `Answer: ${value} or ${other}`,
  (value) => `The answer is not ${value}.`,
  (value) => `<think>The answer is ${value}.`,
  (value, other) => `Answer: ${value}\n\nWait, that is wrong.\n\nAnswer: ${other}`,
  (value, other) => `<think>Answer: ${value}</think>Answer: ${other}`,
  (_value, other) => `**Answer:** ${other}`,
];

export interface PackCheck {
  readonly tasks: number;
  /** The percentage of tasks whose accepted replies pass and whose refused replies do not. */
  readonly oracle: number;
  /** The percentage of right answers that pass in every style; null if no kind has one exact answer. */
  readonly style: number | null;
  /** The number of wrong, hedged and retracted replies that pass. */
  readonly wrongPassed: number;
  /** The percentage of a kind's tasks that share the most frequent answer. */
  readonly mostGuessed: number;
  /** CPU time that a task takes to generate. */
  readonly meanMs: number;
  /** The scores of reference agents, by name. */
  readonly norms: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

const guessedMax = 5;
const constantMax = 8;
const botMax = 25;
const idleMax = 2;
const taskMsMax = 10;
/** For kinds with a manual of their own. */
export const manualMsMax = 80;
/** The maximum number of faults of one sort. */
const faultsShownMax = 8;
/** With fewer tasks, the most frequent answer means little. */
const guessTasksMin = 60;

/** @param meanMsMax CPU time that a task may take to generate; tasks with a whole manual take longer */
export function checkPack(
  categories: readonly Category[],
  seeds: readonly string[],
  meanMsMax = taskMsMax,
): PackCheck {
  const kinds = categories.flatMap((category) => category.kinds);
  const kindFaults = kinds.flatMap((kind) => seeds.flatMap((seed) => findKindFaults(kind, seed)));
  const tasks = kinds.length * ladderLevels.length * seeds.length;
  // A kind that throws cannot be measured.
  if (kindFaults.length > 0) return brokenPack(tasks, kindFaults);
  const before = process.cpuUsage();
  const drawn = kinds.map((kind) => ({ kind, tasks: drawTasks(kind, seeds) }));
  // Not the time on a clock, of which a busy machine takes more for the same pack.
  const { user, system } = process.cpuUsage(before);
  const meanMs = (user + system) / 1000 / tasks;
  const styled = drawn.flatMap(({ kind, tasks: own }) => own.map((task) => tryStyles(kind, task)));
  const styleTries = styled.reduce((sum, { tries }) => sum + tries, 0);
  const styleFaults = styled.flatMap(({ faults }) => faults);
  const wrongFaults = styled.flatMap(({ wrong }) => wrong);
  const mostGuessed = Math.max(...drawn.map(({ tasks: own }) => percentOfMostFrequent(own)));
  const norms = new Map(measureNorms(categories, seeds).map(({ name, score }) => [name, score]));
  const figures = { mostGuessed, meanMs, norms, tasks };
  return {
    ...figures,
    oracle: 100,
    style: styleTries === 0 ? null : 100 * (1 - styleFaults.length / styleTries),
    wrongPassed: wrongFaults.length,
    faults: [
      ...findFigureFaults(figures, meanMsMax),
      ...styleFaults.slice(0, faultsShownMax),
      ...wrongFaults.slice(0, faultsShownMax),
    ],
  };
}

function brokenPack(tasks: number, faults: readonly string[]): PackCheck {
  return {
    tasks,
    oracle: Math.max(0, 100 * (1 - faults.length / Math.max(1, tasks))),
    style: null,
    wrongPassed: 0,
    mostGuessed: 0,
    meanMs: 0,
    norms: new Map(),
    faults: faults.slice(0, faultsShownMax),
  };
}

function drawTasks(kind: Kind, seeds: readonly string[]): Task[] {
  return seeds.flatMap((seed) => ladderLevels.map((level) => drawPackTask(kind, seed, level)));
}

/** Styles apply only to tasks with one exact answer and one turn. */
function tryStyles(kind: Kind, task: Task) {
  const { answer, turns } = task;
  if (answer === null || turns.length !== 1) return { tries: 0, faults: [], wrong: [] };
  const right = typeof answer.value === 'string' ? answer.value : answer.value.join(', ');
  const other = task.refused
    .map(([text = '']) => /^Answer: (.*)$/.exec(text)?.[1])
    .find((text) => text !== undefined);
  const quoted = (text: string) => `${kind.name}: ${JSON.stringify(text.slice(0, 160))}`;
  const styles = answerStyles.map((style) => style(right));
  const wrong =
    other === undefined || other.includes(right) ? [] : wrongStyles.map((style) => style(right, other));
  return {
    tries: styles.length,
    faults: styles
      .filter((text) => !task.grade([text]).passed)
      .map((text) => `A right answer fails. ${quoted(text)}`),
    wrong: wrong
      .filter((text) => task.grade([text]).passed)
      .map((text) => `A wrong reply passes. ${quoted(text)}`),
  };
}

function percentOfMostFrequent(tasks: readonly Task[]): number {
  const counts = new Map<string, number>();
  for (const { expected } of tasks) counts.set(expected, (counts.get(expected) ?? 0) + 1);
  return (100 * Math.max(...counts.values())) / tasks.length;
}

function findFigureFaults(
  { mostGuessed, meanMs, norms, tasks }: Pick<PackCheck, 'mostGuessed' | 'meanMs' | 'norms' | 'tasks'>,
  meanMsMax: number,
): string[] {
  const bounds: readonly (readonly [string, number])[] = [
    ['empty', idleMax],
    ['echo', idleMax],
    ['best constant', constantMax],
    ['template bot', botMax],
  ];
  return [
    ...bounds.flatMap(([name, max]) => {
      const score = norms.get(name);
      return score === undefined || score <= max
        ? []
        : [`The reference agent "${name}" scores ${score.toFixed(1)}; the limit is ${max}.`];
    }),
    ...(tasks < guessTasksMin || mostGuessed <= guessedMax
      ? []
      : [
          `One answer is right for ${mostGuessed.toFixed(1)}% of the tasks of a kind; the limit is ${guessedMax}%.`,
        ]),
    ...(meanMs <= meanMsMax
      ? []
      : [`A task takes ${meanMs.toFixed(1)} ms of CPU time to generate; the limit is ${meanMsMax} ms.`]),
  ];
}
