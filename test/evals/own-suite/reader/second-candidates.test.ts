import { expect, test } from 'bun:test';
import { readAnswer } from '#evals/own-suite/reader/read-answer.ts';
import { isRight } from '#evals/own-suite/reader/same-answer.ts';

test.each([
  ['list', ['ana', 'bel'], 'Answer: ana, bel\nana'],
  ['list', ['ana', 'bel'], '## Answer\n\nana, bel\nbel'],
  ['list', ['ana'], 'Answer: ana\n\nbel'],
  ['set', ['ana', 'bel'], 'Answer: ana, bel\n\nana'],
  ['set', ['ana', 'bel'], '## Answer\n\n**ana, bel**\n**bel**'],
  ['number', '1', '**1. 1\n2. 101**'],
  ['number', '1', '✅ 1. 1\n2. 101'],
  ['number', '1', '## Answer\n\n1. 1\n2. 2'],
  ['number', '1', 'Answer: **1. 1\n2. 101**'],
  ['digits', '1', '**1) 1\n2) 101**'],
  ['word', 'ana', 'Answer: Answer: ana\nAnswer: bel'],
  ['line', 'ana bel', 'Answer: Answer: ana bel\nAnswer: cor'],
] as const)(
  'a second candidate on its own line invalidates a %s, even if it is part of the first: %j',
  (type, value, reply) => {
    expect(isRight(readAnswer(reply, type), type, value)).toBe(false);
  },
);

test.each([
  ['Answer: ana, bel\n\n- ana\n- bel'],
  ['Answer: ana, bel\nana, bel'],
  ['Answer: ana, bel\n\nCheers'],
  ['Answer: ana, bel\n\nana has three letters.'],
])('repeating the items, or words about them, does not invalidate a list: %j', (reply) => {
  expect(isRight(readAnswer(reply, 'list'), 'list', ['ana', 'bel'])).toBe(true);
});
