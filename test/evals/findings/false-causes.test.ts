/** What sound agents and weak models do, which no finding may blame on something else. */
import { expect, test } from 'bun:test';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation } from '#evals/findings/observation.ts';

const plain: Omit<Observation, 'id'> = {
  part: null,
  topic: null,
  sent: { characters: 20, prompt: 'Copy this: 😀 lamp', turns: 1, atOnce: false },
  reply: null,
  error: null,
  passed: false,
  undone: [],
};

/** Each observation as often as there are trials, and sound replies to other cases. */
function inTrials(trials: number, one: Partial<Observation>, others = 12): readonly Observation[] {
  return [
    ...Array.from({ length: trials }, () => ({ ...plain, id: 'one', ...one })),
    ...Array.from({ length: others * trials }, (_, at) => {
      const [id, reply] = [`other-${at % others}`, `It is number ${at % others}.`];
      return { ...plain, id, reply, passed: true, sent: { ...plain.sent, own: 'number' } };
    }),
  ];
}

const sent = (more: Partial<Observation['sent']>) => ({ ...plain.sent, ...more });
const slips: Readonly<Record<string, Partial<Observation>>> = {
  conduct: { sent: sent({ failing: 'guesses' }), reply: '17' },
  rewritten: { sent: sent({ copied: '😀 lamp' }), reply: 'lamp' },
  undone: { reply: '"lamp"', undone: ['encoded'] },
  echo: { reply: plain.sent.prompt },
  error: { reply: 'Internal server error' },
  'no reply': { error: { code: 'target_timeout', status: null } },
  'cut copy': { sent: sent({ copied: 'lamp '.repeat(200) }), reply: 'lamp '.repeat(100) },
  'longest reply': { reply: 'lamp '.repeat(100) },
  'added text': { sent: sent({ copied: 'lamp' }), reply: 'Sure! lamp. Welcome!' },
  'no JSON': { sent: sent({ record: { a: 1 } }), reply: 'a is 1' },
  'another key': { sent: sent({ record: { my_key: 1 } }), reply: '{"myKey":1}' },
  'another value': { sent: sent({ record: { a: 1 } }), reply: '{"a":2}' },
  'marks lost': {
    sent: sent({ marks: ['lamp', 'desk', 'oven'].map((word, at) => ({ word, at: at / 2 })) }),
    reply: 'lamp',
  },
  'word of another': { sent: sent({ own: 'lamp' }), reply: 'number' },
};

test.each(Object.entries(slips))('one case in eight trials is one case: %s', (_name, one) => {
  const found = findCauses(inTrials(8, one));
  expect(found.filter(({ certainty }) => certainty === 'certain')).toEqual([]);
});

test('the share of failed cases does not grow with trials', () => {
  const seen = inTrials(8, { sent: sent({ failing: 'guesses' }), reply: '17', topic: 'facts' });
  const others = seen.map((own) => ({ ...own, topic: own.topic ?? 'others' }));
  expect(findCauses(others)).toMatchObject([
    { rule: 'conduct', sentence: 'The agent guesses (1 of 1 case): it says "17".', certainty: 'likely' },
  ]);
});
