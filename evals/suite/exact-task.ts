/** Tasks with one exact answer, which the reader finds in the reply. */
import type { AnswerType, AnswerValue, ReadAnswer, ReadOptions } from './reader/answer.ts';
import { readAnswer } from './reader/read-answer.ts';
import { isLooselyRight, isRight } from './reader/same-answer.ts';
import type { Task, TaskGrade } from './task.ts';

export interface ExactTask {
  readonly prompt: string;
  readonly type: AnswerType;
  readonly value: AnswerValue;
  readonly reading?: ReadOptions;
  /** The name of its only check: what the task tests, such as `deduction`. */
  readonly skill: string;
  /** The results of likely mistakes. Values that happen to be right are left out. */
  readonly mistakes: readonly AnswerValue[];
}

const maxRefused = 6;
const maxShownCharacters = 200;

export function exactTask(draft: ExactTask): Task {
  const { prompt, type, value, mistakes } = draft;
  const right = textOf(value);
  return {
    turns: [prompt],
    expected: right,
    answer: { type, value },
    accepted: [
      [`Answer: ${right}`],
      [right],
      [`I worked through it step by step.\n\n**Answer:** ${right}`],
      [`<think>Let me see.</think>\n\nFinal answer: ${right}`],
    ],
    // Runs never read them, and grading the mistakes takes longer than the rest.
    get refused() {
      const wrong = [...new Set(mistakes.map(textOf))].filter(
        (text) => text !== '' && !gradeExact(draft, `Answer: ${text}`).passed,
      );
      return [
        [''],
        [`<think>The answer is ${right}.`],
        ...wrong.slice(0, maxRefused).map((text) => [`Answer: ${text}`]),
        ...wrong.slice(0, 1).map((text) => [`Answer: ${right} or ${text}`]),
      ];
    },
    grade: ([reply = '']) => gradeExact(draft, reply),
  };
}

function gradeExact({ type, value, reading, skill }: ExactTask, reply: string): TaskGrade {
  const read = readAnswer(reply, type, reading);
  const passed = isRight(withoutCase(read, type), type, lowerItems(value, type), reading);
  const found = read.ok ? shorten(textOf(read.value)) : null;
  const unwrapped = !read.ok && read.reason === 'nothing of the right type' && isLooselyRight(read, value);
  const right = shorten(textOf(value));
  return {
    score: Number(passed),
    passed,
    found,
    ...(unwrapped ? { rightValueWrongWrapping: true } : {}),
    checks: [
      {
        name: skill,
        passed,
        message: read.ok
          ? `Expected ${right}, found ${found ?? 'nothing'}.`
          : `Expected ${right}, found no answer: ${read.reason}.`,
      },
    ],
  };
}

/** The items of a list are names here, so their case does not matter. */
function withoutCase(read: ReadAnswer, type: AnswerType): ReadAnswer {
  return read.ok ? { ...read, value: lowerItems(read.value, type) } : read;
}

function lowerItems(value: AnswerValue, type: AnswerType): AnswerValue {
  return type === 'list' && typeof value !== 'string' ? value.map((item) => item.toLowerCase()) : value;
}

function textOf(value: AnswerValue): string {
  return typeof value === 'string' ? value : value.join(', ');
}

function shorten(text: string): string {
  return text.length <= maxShownCharacters
    ? text
    : `${text.slice(0, maxShownCharacters - 1).toWellFormed()}…`;
}
