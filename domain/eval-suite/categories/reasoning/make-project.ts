/** The earliest finish of a project with dependent tasks: the length of its critical path. */
import { answerNumber } from '../../graders/answer-number.ts';
import { graderSpec } from '../../graders/grader.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

/**
 * `after` holds the positions of the tasks that must be finished first. All of them are smaller than the
 * task's own.
 */
export interface Task {
  readonly days: number;
  readonly after: readonly number[];
}

/** The earliest finish of each task, in days from the start, without a limit on parallel work. */
export function earliestFinishes(tasks: readonly Task[]): number[] {
  const finishes: number[] = [];
  for (const task of tasks)
    finishes.push(task.days + Math.max(0, ...task.after.map((other) => finishes[other] ?? 0)));
  return finishes;
}

export function makeProject(random: Random, difficulty: Difficulty): CaseDraft {
  const count = byDifficulty(difficulty, 4, 6, 9);
  const tasks = Array.from({ length: count }, (_, position): Task => {
    const earlier = Array.from({ length: position }, (_unused, other) => other);
    const after = random.sample(earlier, Math.min(position, random.int(0, 2)));
    return { days: random.int(2, 19), after: after.toSorted((left, right) => left - right) };
  });
  const [place = '', ...names] = inventNames(random, count + 1);
  const nameOf = (task: number) => names[task] ?? '';
  const lines = tasks.map((task, position) => {
    const others = task.after.map(nameOf).join(' and ');
    const condition =
      others === ''
        ? 'it can begin at once'
        : `it cannot begin before ${others} ${task.after.length > 1 ? 'are' : 'is'} finished`;
    return `- ${nameOf(position)} takes ${task.days} days; ${condition}.`;
  });
  const expected = String(Math.max(...earliestFinishes(tasks)));
  const question = random.pick([
    'There are hands enough to work on any number of parts at the same time. After how many days can the whole be finished at the earliest?',
    'Any number of parts may be worked on side by side. What is the smallest number of days in which everything can be done?',
  ]);
  return {
    kind: 'critical-path',
    difficulty,
    prompt: `The new mill at ${place} is built in ${count} parts, each with a name of its own.\n\n${random.shuffle(lines).join('\n')}\n\n${question}\n\n${askForNumber(random)}`,
    graders: [graderSpec(answerNumber, { expected, units: ['days'] })],
    scoring: 'weighted',
    expected,
  };
}
