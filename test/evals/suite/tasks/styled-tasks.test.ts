/** A perfect solver passes the tasks in every style; a wrong one passes in none. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { drawSeeds } from '../draw-seeds.ts';
import type { StyledAnswer } from '../styles/answer-style.ts';
import { answerStyles } from '../styles/index.ts';
import { wrongReplies } from '../styles/wrong-replies.ts';
import { drawTasks } from './task-figures.ts';

const names = ['reasoning', 'execution', 'context', 'calibration'];
const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
setDefaultTimeout(isLong ? 900_000 : 60_000);
const seeds = drawSeeds('styled tasks', 1).slice(0, 20);

test('exact answers are read in a hundred styles, and wrong replies in none', () => {
  let [rightReplies, read, wrong] = [0, 0, 0];
  const passed: string[] = [];
  const missed: string[] = [];
  for (const { name, task, seed, level } of drawTasks(names, seeds)) {
    if (!isLong && level !== 2 && level !== 5) continue;
    const { answer } = task;
    if (answer === null) throw new Error(`${name} has no exact answer.`);
    const value = answer.type === 'number' ? Number(answer.value) : answer.value;
    // A number beyond the safe integers has no form as a number, and the styles compute with it.
    if (typeof value === 'number' && !Number.isSafeInteger(value)) continue;
    // The types of answers are those of the styles, with numbers as numbers.
    const styled = { type: answer.type, value, text: task.expected } as StyledAnswer;
    for (const style of [...answerStyles, ...wrongReplies]) {
      if (style.types?.includes(answer.type) === false) continue;
      const random = createRandom(seed, `${name}/${style.name}`);
      const reply = style.write(styled, (items) => random.pick(items));
      const isRight = task.grade([reply]).passed;
      if (answerStyles.includes(style)) {
        rightReplies += 1;
        if (isRight) read += 1;
        else missed.push(`${name}, ${style.name}: ${reply}`);
      } else {
        wrong += 1;
        if (isRight) passed.push(`${name}, ${style.name}: ${reply}`);
      }
    }
  }
  console.log(
    `style: ${read} of ${rightReplies} right replies read, ${passed.length} of ${wrong} wrong ones passed`,
  );
  expect(passed).toEqual([]);
  expect({ missed: missed.slice(0, 5), share: read / rightReplies >= 0.999 }).toMatchObject({ share: true });
});
