/** A review whose draft had no mistake passed for an agent that copies it, or that sends the prompt back. */
import { expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { publicDesks } from '#evals/suite/tasks/policy/desk.ts';
import { policyKinds } from '#evals/suite/tasks/policy/requests.ts';

const reviewKind = policyKinds(publicDesks).find(({ name }) => name === 'review')!;

test('no draft that an agent reviews is right as a whole', () => {
  const passed = Array.from({ length: 60 }, (_, seed) => {
    const task = reviewKind.make(createRandom(`draft ${seed}`, 'review/1'), 1, { maxPromptTokens: 8_000 });
    const [prompt = ''] = task.turns;
    const copy = /\nDRAFT\n\n.*?\n(.*?)\n\n/s.exec(prompt)?.[1] ?? '';
    expect(copy).not.toBe('');
    return [copy, prompt].some((reply) => task.grade([reply]).passed) ? [seed] : [];
  }).flat();
  expect(passed).toEqual([]);
});
