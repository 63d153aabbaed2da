import { expect, test } from 'bun:test';
import { readAnswer } from '#evals/own-suite/reader/read-answer.ts';
import { timeWork } from '../../processor-time.ts';
import { answerTypes } from './answer-types.ts';

const size = 262_144;
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** Pieces that, when repeated, slow down patterns, parsers of nested text and counters. */
const pieces: readonly string[] = [
  'a',
  'a ',
  ' ',
  '\n',
  '\r\n',
  '\n \t ',
  '.',
  '.)))',
  '[',
  '[]',
  '(',
  '{"a":',
  '{"answer": ',
  '{"a":[1]},',
  '"',
  '\\',
  '\\"',
  ',',
  'a,b\n',
  '```\n',
  '```text\n',
  '`',
  '*',
  '* ',
  '*a*',
  '*a**b***',
  '* a\n',
  '***\n',
  '******\n',
  '<<a>>',
  '<think>',
  '<think></think>',
  '```thinking\n',
  '\\boxed{',
  '\\boxed{1}',
  '<answer>',
  '<answer>1</answer>',
  '[answer]',
  'the answer is ',
  'the the ',
  'the final correct ',
  'final answer ',
  'Answer to ',
  'Answer:\n',
  'Answer: Answer: ',
  'Answer: 7\n',
  'Result: Result: ',
  'or ',
  'not ',
  'may also ',
  "i'm really ",
  'wait ',
  'let me ',
  '|',
  '| a | b |\n',
  '|---|\n',
  '1. a 2. b ',
  'ana, ',
  'ana,\n',
  ' and ',
  'a -> ',
  '1 = ',
  '1+1=',
  '1,000,',
  '1 ',
  '<li>',
  '<s>',
  '&amp;',
  '\\text{',
  '\\text{a}',
  '\\text{{}',
  '$a',
  '$ ',
  '~~',
  '~~a',
  '✅',
  '> ',
  '>',
  'a. A b ',
  'is the answer ',
  ' - ',
  '—',
  'here is ',
  'one thousand ',
  '# ',
  'a.',
  '𝗔',
  'İ',
  '**a** is ',
  'made a ',
  'i ',
  ': ',
  'a:\n',
  "'",
  '_',
  'go with ',
  "n't ",
  '\u200b',
  '\ud800',
  'a\u0301\u0327',
  '\ufdfa',
];

const numbered = Array.from({ length: 20_000 }, (_, place) => `${place + 1}. ana`).join('\n');
const replies: readonly (readonly [string, string])[] = [
  ...pieces.flatMap((piece): [string, string][] => [
    [JSON.stringify(piece), fill(piece)],
    [`Answer: ${JSON.stringify(piece)}`, `Answer: ${fill(piece).slice(0, 12_000)}`],
  ]),
  ['deep round brackets', '('.repeat(size / 2) + ')'.repeat(size / 2)],
  ['deep JSON', '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['a numbered list', numbered.slice(0, size)],
  ['a long quotation', `"${fill('a b ').slice(0, 12_000)}"`],
  ['an answer after long thought', `<think>${fill('The answer is 7. ').slice(20)}</think>\n7`],
];

const mostMs = 20;

// The long form takes every reply, a slice with the other tests every fourth.
const step = Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 1 : 4;

test.each(replies.filter((_, place) => place % step === 0))(
  'a hostile reply keeps the processor for at most 20 ms: %s',
  (_, reply) => {
    for (const type of answerTypes) {
      const timing = timeWork(mostMs, 20, () => readAnswer(reply, type));
      expect({ type, ...timing }).toMatchObject({ fast: true });
    }
  },
);
