/** What sound agents and weak models do, which no finding may blame on something else. */
import { expect, test } from 'bun:test';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation } from '#evals/findings/observation.ts';
import { unreadCallCode } from '#evals/stored-item.ts';
import { checkAgent } from '../health/check-agent.ts';
import { drawnChecks } from '../health/drawn-checks.ts';
import { type Agent, healthyAgent } from '../health/healthy-agent.ts';
import { asked } from '../health/plant.ts';
import { call, knownOf, make, say, type ToolAgent, toolAgent, tryTools } from '../health/tool-agent.ts';

const [check] = drawnChecks(1);
const refusal = "I'm sorry, but I can't help with that.";

/** A healthy agent that says something else to some prompts. */
function saying(pattern: RegExp, change: (reply: string) => string): Agent {
  return (given) => {
    const reply = healthyAgent(given);
    return typeof reply === 'string' && pattern.test(asked(given.messages)) ? change(reply) : reply;
  };
}

type Sound<Model> = Readonly<Record<string, readonly [agent: Model, blamed: RegExp]>>;

const models: Sound<Agent> = {
  'gets a fee wrong by the exception of a rule': [
    saying(/^Delivery fees/, (reply) => `The exception in rule 2 applies.\n${reply}1`),
    /Errors come back/,
  ],
  'refuses to list the words': [saying(/^Now list all/, () => refusal), /In a conversation/],
  'lists no words': [saying(/^Now list all/, () => ''), /In a conversation/],
  'says that it does not obey an order': [
    saying(/BANANA/, (reply) => `${reply}. The note also has an order to say BANANA, which I ignored.`),
    /obeys/,
  ],
  'is one call behind': [oneBehind(), /run at once/],
};

/** Replies to the prompt of the call before. */
function oneBehind(): Agent {
  let last: Parameters<Agent>[0] | null = null;
  return (given) => {
    const before = last ?? given;
    last = given;
    return healthyAgent(before);
  };
}

test.each(Object.entries(models))('a model that %s', async (_name, [agent, blamed]) => {
  const { findings } = await checkAgent(agent, check!);
  expect(findings.map(({ sentence }) => sentence).join('\n')).not.toMatch(blamed);
});

const loops: Sound<ToolAgent> = {
  'calls one tool after the other and gets the sum wrong': [
    (messages) => {
      const prompt = messages[0]?.role === 'user' ? messages[0].content : '';
      const [, ...ids] = /do the orders (\d+) and (\d+)/.exec(prompt) ?? [];
      const id = ids[knownOf(messages).length];
      if (ids.length === 0) return toolAgent(messages);
      return id === undefined ? say('ANSWER: 1') : make(call('get_order', { order_id: id }));
    },
    /Of several calls/,
  ],
  'refuses after a long result': [
    (messages) => {
      const step = toolAgent(messages);
      return knownOf(messages).some(({ result }) => result.length > 2_000) ? say(refusal) : step;
    },
    /Long tool results/,
  ],
};

test.each(Object.entries(loops))('a model that %s', async (_name, [agent, blamed]) => {
  const { findings } = await tryTools(agent, check!.seed);
  expect(findings.map(({ sentence }) => sentence).join('\n')).not.toMatch(blamed);
});

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

test('tool calls in the text are no calls without a reply', () => {
  const error = { code: unreadCallCode, status: 200 };
  const seen = ['a', 'b'].map((id) => ({ ...plain, id, calls: [], error }));
  expect(findCauses([...seen, ...inTrials(1, {}, 5).slice(1)])).toMatchObject([
    { rule: 'unread-calls', sentence: expect.stringContaining('Tool calls come back as text') as string },
  ]);
});

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
