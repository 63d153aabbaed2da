/** Tags and special tokens around the answer. */
import { escapeHtml } from './answer-forms.ts';
import type { AnswerStyle } from './answer-style.ts';

export const tagStyles: readonly AnswerStyle[] = [
  { name: 'answer-tag', write: ({ text }) => `<answer>${text}</answer>` },
  { name: 'answer-tag-on-lines', write: ({ text }) => `<answer>\n${text}\n</answer>` },
  {
    name: 'other-tag',
    write: ({ text }, pick) => {
      const tag = pick(['ANSWER', 'final_answer', 'final-answer', 'result', 'output', 'response']);
      return `<${tag}>${text}</${tag}>`;
    },
  },
  { name: 'nested-tags', write: ({ text }) => `<response>\n  <answer>${text}</answer>\n</response>` },
  {
    name: 'xml-document',
    write: ({ text }) => `<?xml version="1.0" encoding="UTF-8"?>\n<answer>${escapeHtml(text)}</answer>`,
  },
  { name: 'square-tag', write: ({ text }) => `[ANSWER]${text}[/ANSWER]` },
  { name: 'double-brackets', write: ({ text }) => `Answer: [[${text}]]` },
  {
    name: 'trailing-token',
    write: ({ text }, pick) =>
      `${text}${pick(['<|im_end|>', '</s>', '<|eot_id|>', '<|endoftext|>', '<end_of_turn>'])}`,
  },
];
