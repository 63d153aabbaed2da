/** Agents that decide and reply with fixed sentences or labels, half of the time wrongly: no rule blames their harness. */
import { expect, test } from 'bun:test';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { Observation } from '#evals/findings/observation.ts';
import { findUndone } from '#evals/findings/undo.ts';
import { createRandom } from '#evals/random.ts';
import { passerOf } from '../own-suite/grader-tables.ts';

const said = {
  refund: 'I have refunded your order. The money arrives within 5 days.',
  shipping: 'Your parcel is on its way and arrives tomorrow.',
  account: 'I have sent a link to your e-mail address to reset the password.',
  invoice: 'Your invoice is attached to this message as a PDF.',
  human: 'I pass this on to a colleague, who replies today.',
};
type Topic = keyof typeof said;
const topics = Object.keys(said) as Topic[];

/** How an agent says what it has decided. */
const voices: Readonly<Record<string, (topic: Topic) => string>> = {
  sentences: (topic) => said[topic],
  labels: (topic) => topic,
  'one word of JSON': (topic) => JSON.stringify({ team: topic, confidence: 'high' }),
};

const templates: Readonly<Record<string, (message: string) => string>> = {
  none: (message) => message,
  'same end': (message) => `${message}\n\nReply to the customer with one of the sentences of the handbook.`,
  'same opening': (message) =>
    `You are the refund desk of a shop. Reply to this message of a customer: ${message}`,
  both: (message) => `A customer of our shop has written:\n"${message}"\nDecide, and reply in one sentence.`,
};

const openings = ['Hello, ', 'Good morning! ', 'I am not happy. ', ''];
const messages: Readonly<Record<Topic, readonly string[]>> = {
  refund: ['I want my money back for order NUMBER', 'please refund order NUMBER, it arrived broken'],
  shipping: ['where is my parcel NUMBER', 'order NUMBER has not arrived, is it on its way'],
  account: ['I forgot my password, customer NUMBER', 'my e-mail address has changed, I am NUMBER'],
  invoice: ['I need the invoice of order NUMBER', 'send me a PDF for {NUMBER}'],
  human: ['let me speak to a colleague about NUMBER', 'your shop is great, says customer NUMBER'],
};
const closings = ['.', '!', ', thank you.', '?', ' – can you help me with that today, please?'];

const random = createRandom('5eed', 'few sentences');

/** A suite, and the decisions of an agent on it. */
function draw(count: number, known: number, wrongOfTen: number) {
  const own = random.shuffle(topics).slice(0, known);
  return Array.from({ length: count }, (_, at) => {
    const right = random.pick(own);
    const message = `${random.pick(openings)}${random.pick(messages[right])}${random.pick(closings)}`;
    const decided = random.int(0, 9) < wrongOfTen ? random.pick(own) : right;
    const number = String(random.int(10, 9_999));
    return { id: `case-${at}`, right, decided, message: message.replace('NUMBER', number) };
  });
}

interface Suite {
  readonly cases: ReturnType<typeof draw>;
  readonly template: (message: string) => string;
  readonly voice: (topic: Topic) => string;
  readonly isTagged: boolean;
  readonly trials: number;
}

async function observed(suite: Suite): Promise<readonly Observation[]> {
  const { cases, template, voice, isTagged, trials } = suite;
  const seen = cases.map(async ({ id, right, decided, message }): Promise<readonly Observation[]> => {
    const [prompt, reply] = [template(message), voice(decided)];
    const passes = passerOf({ expect: [{ contains: voice(right) }] });
    const passed = await passes(reply);
    const sent = { characters: prompt.length, prompt, turns: 1, atOnce: false };
    const undone = passed ? [] : await findUndone(reply, passes);
    const one = { id, part: null, topic: isTagged ? right : null, sent, reply, error: null, passed, undone };
    return Array.from({ length: trials }, () => one);
  });
  return (await Promise.all(seen)).flat();
}

/** Rules about the decisions. */
const isAboutDecisions = ({ rule, certainty }: Finding) =>
  rule === 'weak-topic' || (rule === 'same-reply' && certainty === 'likely');

for (const [name, template] of Object.entries(templates))
  for (const [how, voice] of Object.entries(voices))
    test(`${how}, and a template with ${name}`, async () => {
      for (const wrongOfTen of [2, 5, 8])
        for (const count of [5, 7, 12, 30])
          for (let time = 0; time < 12; time += 1) {
            const cases = draw(count, 2 + (time % 4), wrongOfTen);
            const suite = { cases, template, voice, isTagged: time % 2 === 0, trials: 1 + (time % 3) };
            const found = findCauses(await observed(suite));
            expect(found.filter((one) => !isAboutDecisions(one))).toEqual([]);
          }
    });

test.each(['same end', 'same opening'])('a cache by the %s of prompts is likely', (part) => {
  const lines = ['seven lamps for Oslo', 'nine desks for Rome', 'two chairs for Kyiv', 'ten beds for Bonn'];
  const ways = ['Sort the order by its place, then write it', 'Check the order for mistakes, then write it'];
  const cache = new Map<string, string>();
  const seen = ways.flatMap((way, group) =>
    lines.map((line, at): Observation => {
      const prompt = part === 'same end' ? `${line}: ${way}.` : `${way}: ${line}.`;
      const reply = cache.get(way) ?? `${group === 0 ? 'Sorted' : 'Checked'}: ${line}.`;
      cache.set(way, reply);
      const sent = { characters: prompt.length, prompt, turns: 1, atOnce: false };
      const one = { part: null, topic: null, error: null, undone: [] };
      return { id: `${group}-${at}`, sent, reply, passed: reply.includes(line), ...one };
    }),
  );
  expect(findCauses(seen)).toMatchObject([
    { sentence: `Prompts with the ${part} get the reply to an earlier one (6 of 8).`, certainty: 'likely' },
  ]);
});
