/** Markdown around the answer. */
import { codeSpan, fence, itemsOf } from './answer-forms.ts';
import type { AnswerStyle } from './answer-style.ts';

export const markdownStyles: readonly AnswerStyle[] = [
  { name: 'bold', write: ({ text }, pick) => pick([`**${text}**`, `__${text}__`]) },
  { name: 'italic', write: ({ text }, pick) => pick([`*${text}*`, `_${text}_`, `***${text}***`]) },
  { name: 'bold-label', write: ({ text }, pick) => pick([`**Answer:** ${text}`, `**Answer**: ${text}`]) },
  { name: 'bold-label-and-value', write: ({ text }) => `**Answer:** **${text}**` },
  { name: 'bold-answer-line', write: ({ text }, pick) => `**${pick(['Answer', 'Final Answer'])}: ${text}**` },
  { name: 'inline-code', write: ({ text }) => codeSpan(text) },
  { name: 'fenced', write: ({ text }, pick) => fence(text, pick(['', 'text', 'plaintext'])) },
  {
    name: 'heading',
    write: ({ text }, pick) =>
      `${pick(['#', '##', '###'])} ${pick(['', 'Answer: ', 'Answer\n\n', 'Final Answer\n\n', '✅ Answer\n\n'])}${text}`,
  },
  { name: 'blockquote', write: ({ text }, pick) => `> ${pick(['', '**Answer:** ', 'Answer: '])}${text}` },
  { name: 'labelled-bullet', write: ({ text }, pick) => `${pick(['-', '*', '•'])} **Answer:** ${text}` },
  {
    name: 'bulleted-items',
    types: ['list', 'set', 'word'],
    write: (answer, pick) => {
      const bullet = pick(['-', '*', '•']);
      return `${pick(['', 'Answer:\n', '**Answer:**\n\n'])}${itemsOf(answer)
        .map((item) => `${bullet} ${item}`)
        .join('\n')}`;
    },
  },
  {
    name: 'numbered-items',
    types: ['list'],
    write: (answer, pick) => {
      const mark = pick(['.', ')']);
      return `${pick(['', 'Answer:\n\n'])}${itemsOf(answer)
        .map((item, index) => `${index + 1}${mark} ${item}`)
        .join('\n')}`;
    },
  },
  {
    name: 'one-cell-table',
    write: ({ text }) => `| Answer |\n| --- |\n| ${text.replaceAll('|', String.raw`\|`)} |`,
  },
];
