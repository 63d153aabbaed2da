/** Every function that agents' texts go through, with a text as its only input. */
import { quoted, fields } from '#api/markdown/blocks.ts';
import { findJsonTextError } from '#api/request/body.ts';
import { searchWordsOf } from '#db/search.ts';
import { gradeReply } from '#domain/runs/grading/grade-reply.ts';
import { listPracticeCases } from '#domain/runs/grading/practise.ts';
import { csvCell } from '#evals/export/lines.ts';
import { findLeak } from '#evals/own-suite/graders/leaks.ts';
import { readAnswer } from '#evals/own-suite/graders/read-answer.ts';
import { spokenText, withoutReasoning } from '#evals/own-suite/graders/spoken.ts';
import { escapeMarkdown, fenced, shorten } from '#evals/safe-text.ts';
import { hasWords, wordsOf } from '#evals/week/tools/tool.ts';
import { parseMailbox } from '#domain/mail/mailbox.ts';
import { redactorOf } from '#domain/targets/redact-secrets.ts';
import { protocols, toolProtocols } from '#domain/targets/protocols.ts';
import { readOutcome } from '#domain/targets/target-call.ts';
import { hasUnreadCall } from '#domain/targets/tool-calls.ts';
import { excerptOf, renderUserText } from '#site/parts/user-text.tsx';
import { visibleText } from '#site/visible-text.ts';

export type Door = readonly [name: string, read: (text: string) => unknown];

/** The agent chooses the secret too. */
const headers = { authorization: 'Bearer aaaaaaaaaaaaaaaab' };
const redact = redactorOf(headers);
const call = { url: 'https://agent.example/', headers };
const tool = { name: 'find', description: '', parameters: {} };
const answerOf = (text: string) => ({
  ok: true as const,
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(text),
  latencyMs: 1,
  address: '',
});
/** Texts are cached by their content, so each is new. */
let rendered = 0;

const readers: readonly Door[] = [
  ['search words', (given) => searchWordsOf([given])],
  ['the leak finder', (given) => findLeak(given, 'krado-48151623')],
  ['visible text', visibleText],
  ['an excerpt', (given) => excerptOf(given, 200)],
  [
    'rendering Markdown',
    (given) => {
      rendered += 1;
      return renderUserText(`${given}\n\n${rendered}`);
    },
  ],
  ['escaping for Markdown', escapeMarkdown],
  ['a code block', fenced],
  ['shortening', (given) => shorten(given, 100, 100)],
  ['quoted Markdown', quoted],
  ['a cell of CSV', csvCell],
  ['fields as Markdown', (given) => fields({ field: given })],
  ['JSON', (given) => findJsonTextError(given, 32)],
  ['a JSON string', (given) => findJsonTextError(JSON.stringify({ text: given }), 32)],
  ['a mail address', parseMailbox],
  ['the finder of calls', (given) => hasUnreadCall(`${given}{"name": "a", "args": ${given}]`)],
  ...protocols.map(({ name }): Door => [
    `a reply of ${name}`,
    (given) => readOutcome(answerOf(given), { ...call, protocol: name }),
  ]),
  ...toolProtocols.map(({ name }): Door => [
    `a reply of ${name} with tool calls`,
    (given) => readOutcome(answerOf(given), { ...call, protocol: name, tools: [tool] }),
  ]),
  ['the secrets of a target', redact],
  ['a search in the office', (given) => hasWords({ given }, ['given'], wordsOf(`ferry ${given}`))],
  ['reading an answer', (given) => readAnswer(spokenText(withoutReasoning(given) ?? ''))],
];

/** A case of every topic of the health check. */
export const graderDoors: readonly Door[] = listPracticeCases().map(({ id, topic, expect }): Door => [
  `grading ${topic}`,
  (given) =>
    gradeReply({
      suiteCase: { id, expect },
      reply: { text: given, tool_calls: [], latencyMs: null },
      findsChanges: true,
    }),
]);

export const textDoors: readonly Door[] = [...readers, ...graderDoors];
