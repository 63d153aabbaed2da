/** Working before the answer, in the dialects of reasoning models. */
import { inSentence } from './answer-forms.ts';
import type { AnswerStyle, Pick, StyledAnswer } from './answer-style.ts';
import { writeWorking } from './working.ts';

/** Working in one paragraph. */
function think(answer: StyledAnswer, pick: Pick): string {
  const opening = pick([
    'Okay, let me work through this.',
    'We need one value.',
    'Let me check the rules first.',
  ]);
  return [opening, ...writeWorking(answer), pick(['That settles it.', 'Done.', 'Good.'])].join(' ');
}

export const reasoningStyles: readonly AnswerStyle[] = [
  {
    name: 'think-tag',
    write: (answer, pick) => `<think>\n${think(answer, pick)}\n</think>\n\n${answer.text}`,
  },
  { name: 'think-tag-empty', write: ({ text }) => `<think>\n\n</think>\n\n${text}` },
  {
    // Some chat templates put the opening tag into the prompt, so that the reply has only the closing one.
    name: 'think-tag-unopened',
    write: (answer, pick) => `${think(answer, pick)}\n</think>\n\n${answer.text}`,
  },
  {
    name: 'think-tag-dialect',
    write: (answer, pick) => {
      const [open, close] = pick([
        ['<thinking>', '</thinking>'],
        ['<thought>', '</thought>'],
        ['<seed:think>', '</seed:think>'],
        ['[THINK]', '[/THINK]'],
        ['◁think▷', '◁/think▷'],
        ['<reasoning>', '</reasoning>'],
        ['<scratchpad>', '</scratchpad>'],
      ] as const);
      return `${open}\n${think(answer, pick)}\n${close}\n${answer.text}`;
    },
  },
  {
    name: 'think-and-answer-tags',
    write: (answer, pick) => `<think>${think(answer, pick)}</think>\n<answer>${answer.text}</answer>`,
  },
  {
    name: 'thought-and-solution-tokens',
    write: (answer, pick) =>
      pick([
        `<|begin_of_thought|>\n\n${think(answer, pick)}\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n${answer.text}\n\n<|end_of_solution|>`,
        `<|START_THINKING|>${think(answer, pick)}<|END_THINKING|><|START_RESPONSE|>${answer.text}<|END_RESPONSE|>`,
      ]),
  },
  {
    name: 'channels',
    write: (answer, pick) =>
      `<|channel|>analysis<|message|>${think(answer, pick)}<|end|><|start|>assistant<|channel|>final<|message|>${answer.text}<|return|>`,
  },
  {
    name: 'numbered-steps',
    write: (answer) => {
      const steps = writeWorking(answer).map((step, index) => `${index + 1}. ${step}`);
      return `${steps.join('\n')}\n\nAnswer: ${answer.text}`;
    },
  },
  {
    name: 'step-headings',
    write: (answer) => {
      const steps = writeWorking(answer).map((step, index) => `### Step ${index + 1}\n${step}`);
      return `${steps.join('\n\n')}\n\n### Final Answer\n**${answer.text}**`;
    },
  },
  {
    name: 'step-by-step-prose',
    write: (answer) =>
      `Let's think step by step. ${writeWorking(answer).join(' ')} So the answer is ${inSentence(answer)}.`,
  },
  {
    name: 'hash-marks',
    write: (answer) => `${writeWorking(answer).join('\n')}\n#### ${answer.text}`,
  },
];
