/** Style never counts in writing either: neither text around the reply nor the marks of its lines change a verdict. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import type { Task } from '#evals/suite/task.ts';
import { drawSeeds } from '../draw-seeds.ts';
import type { StyledAnswer } from '../styles/answer-style.ts';
import { composedStyles } from '../styles/compose-styles.ts';
import { answerStyles } from '../styles/index.ts';
import { drawTasks } from './task-figures.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
/** The long form draws 100 seeds. */
const seeds = drawSeeds('writing styles', 1).slice(0, 100);
setDefaultTimeout(isLong ? 900_000 : 60_000);

type Dress = (text: string) => string;

/** @param mark the text before and after each line that is not empty */
const perLine =
  (before: string, after = ''): Dress =>
  (text) =>
    text
      .split('\n')
      .map((line) => (line === '' ? '' : before + line + after))
      .join('\n');

const styles: Readonly<Record<string, Dress>> = {
  bare: (text) => text,
  padded: (text) => `\n\n${text}\n  \n`,
  'CRLF and trailing spaces': (text) => text.replaceAll('\n', '  \r\n'),
  'code fence': (text) => `\`\`\`\n${text}\n\`\`\``,
  'named fence with remarks': (text) => `Sure!\n\n\`\`\`text\n${text}\n\`\`\`\n\nTell me if it fits.`,
  opening: (text) => `Here is the text:\n\n${text}`,
  'bold opening without an empty line': (text) => `**Here is the text:**\n${text}`,
  heading: (text) => `## The text\n\n${text}`,
  'opening and closing': (text) => `Of course, here it is:\n\n${text}\n\nLet me know if you want changes!`,
  'word count': (text) => `${text}\n\n(All words counted twice.)`,
  rules: (text) => `---\n\n${text}\n\n---`,
  'rules and a note': (text) => `Here you go:\n\n---\n\n${text}\n\n---\n\n*Note: every rule holds.*`,
  'thinking first': (text) =>
    `<think>\nFirst line, second line …\n\n${text.slice(0, 40)}\n</think>\n\n${text}`,
  'lone closing tag': (text) => `I try this.\n</think>\n${text}`,
  tags: (text) => `<text>\n${text}\n</text>`,
  'quotation marks': (text) => `"${text}"`,
  bold: perLine('**', '**'),
  italics: perLine('*', '*'),
  quoted: perLine('> '),
  'invisible characters': (text) => text.replaceAll(' ', '\u00a0').replaceAll('\n', '\u200b\n'),
};

/** For tasks with independent lines. */
const lineStyles: Readonly<Record<string, Dress>> = {
  ...styles,
  bullets: perLine('- '),
  numbers: (text) =>
    text
      .split('\n')
      .map((line, at) => `${at + 1}. ${line}`)
      .join('\n'),
  'empty lines between': (text) => text.replaceAll('\n', '\n\n'),
};

const wrong: Readonly<Record<string, Dress>> = {
  'only thought': (text) => `<think>${text}</think>`,
  'never finished thinking': (text) => `<think>\n${text}`,
  'two versions': (text) => `${text}\n\n---\n\n${text}`,
  'one line more': (text) => `${text}\n\nThe end came later that day.`,
  'cut in half': (text) => text.slice(0, text.length / 2),
};

test('a text counts in every style, and in none if it is missing, doubled or cut', () => {
  let replies = 0;
  for (const { name, kind, task } of drawTasks(['instructions'], seeds)) {
    const [right = []] = task.accepted;
    const passes = (dress: Dress) => task.grade([...right.slice(0, -1), dress(right.at(-1) ?? '')]).passed;
    for (const [style, dress] of Object.entries(kind.name === 'brief' ? styles : lineStyles)) {
      replies += 1;
      expect({ name, style, passed: passes(dress) }).toEqual({ name, style, passed: true });
    }
    for (const [style, dress] of Object.entries(wrong)) {
      expect({ name, style, passed: passes(dress) }).toEqual({ name, style, passed: false });
    }
  }
  console.log(`writing styles: ${replies} of ${replies} right texts pass`);
});

test('the exact answers of the category text count in every style', () => {
  let [right, replies] = [0, 0];
  const missed: string[] = [];
  for (const { name, task } of drawTasks(['text'], seeds.slice(0, isLong ? 10 : 1))) {
    const answer = styledAnswer(task.answer);
    const random = createRandom(name, 'styles');
    for (const style of [...answerStyles, ...composedStyles]) {
      if (style.types?.includes(answer.type) === false) continue;
      const reply = style.write(answer, (items) => random.pick(items));
      replies += 1;
      if (task.grade([reply]).passed) right += 1;
      else missed.push(`${name}: ${reply.slice(0, 200)}`);
    }
  }
  console.log(`answer styles: ${right} of ${replies} right answers pass`);
  expect({ enough: right / replies >= 0.999, missed: missed.slice(0, 5) }).toMatchObject({ enough: true });
});

function styledAnswer(answer: Task['answer']): StyledAnswer {
  const value = answer?.value ?? '';
  const text = typeof value === 'string' ? value : value.join(', ');
  if (answer?.type === 'number') return { type: 'number', value: Number(text), text };
  if (answer?.type === 'word' || answer?.type === 'line') return { type: answer.type, value: text, text };
  if ((answer?.type === 'list' || answer?.type === 'set') && typeof value !== 'string') {
    return { type: answer.type, value, text };
  }
  throw new Error(`No style is known for answers of the type ${answer?.type}.`);
}
