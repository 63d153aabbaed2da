/** JSON, YAML and other data formats. */
import { asJson, fence, itemsOf } from './answer-forms.ts';
import type { AnswerStyle } from './answer-style.ts';
import { writeWorking } from './working.ts';

export const structuredStyles: readonly AnswerStyle[] = [
  {
    name: 'json',
    write: (answer, pick) => pick([`{"answer": ${asJson(answer)}}`, `{\n  "answer": ${asJson(answer)}\n}`]),
  },
  { name: 'json-compact-text', write: ({ text }) => JSON.stringify({ answer: text }) },
  { name: 'json-fenced', write: (answer) => fence(`{\n  "answer": ${asJson(answer)}\n}`, 'json') },
  {
    name: 'json-other-key',
    write: (answer, pick) =>
      `{"${pick(['final_answer', 'finalAnswer', 'result', 'Answer'])}": ${asJson(answer)}}`,
  },
  {
    name: 'json-with-reasoning',
    write: (answer) =>
      `{"reasoning": ${JSON.stringify(writeWorking(answer).join(' '))}, "answer": ${asJson(answer)}}`,
  },
  {
    name: 'json-with-confidence',
    write: (answer, pick) =>
      `{"answer": ${asJson(answer)}, "confidence": ${pick(['0.99', '1.0', '"high"'])}}`,
  },
  { name: 'json-nested', write: (answer) => `{"status": "ok", "data": {"answer": ${asJson(answer)}}}` },
  { name: 'json-array', types: ['list', 'set'], write: (answer) => asJson(answer) },
  {
    name: 'python-dict',
    types: ['number', 'word', 'list', 'set', 'date', 'time', 'digits'],
    write: (answer) => `{'answer': ${asJson(answer).replaceAll('"', "'")}}`,
  },
  {
    name: 'yaml',
    write: (answer, pick) => {
      const block = itemsOf(answer).map((item) => `\n  - ${item}`);
      const value = answer.type === 'list' || answer.type === 'set' ? block.join('') : ` ${asJson(answer)}`;
      return pick([`answer:${value}`, fence(`answer:${value}`, 'yaml')]);
    },
  },
];
