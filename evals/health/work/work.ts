/** Small pieces of office work: what the model behind an agent does not manage when everything arrives. */
import type { CaseDraft, Topic } from '../health-case.ts';
import type { Random } from '../../random.ts';
import { goods, logSentence, people, textWithout, words } from '../words.ts';

const casesPerTopic = 3;

function topic(name: string, write: (random: Random) => CaseDraft): Topic {
  return {
    part: 'work',
    name,
    write: (random) => Array.from({ length: casesPerTopic }, () => write(random)),
  };
}

/** A page of rules with exceptions. */
export const rules = topic('rules', (random) => {
  const price = random.int(12, 140);
  const kilograms = random.int(2, 40);
  const [isMember, isIsland] = [random.chance(0.5), random.chance(0.5)];
  const base = kilograms > 20 ? 12 : price > 50 ? 0 : 6;
  const fee = (isMember ? base / 2 : base) + (isIsland ? 4 : 0);
  return {
    turns: [
      [
        'Delivery fees of a shop:',
        '1. An order of up to 50 pays a fee of 6. An order of more than 50 pays no fee.',
        '2. Exception to 1: an order that weighs more than 20 kg always pays a fee of 12, whatever it costs.',
        '3. Members pay half of the fee of rules 1 and 2.',
        '4. Orders to an island pay 4 more. Rule 3 does not apply to this part.',
        `An order costs ${price} and weighs ${kilograms} kg. The customer is ${isMember ? 'a member' : 'no member'}. It goes ${isIsland ? 'to an island' : 'to the mainland'}. What is the fee?`,
        'End your reply with one line: "ANSWER:", then the number.',
      ].join('\n'),
    ],
    expect: [{ number: fee, last: true }],
    accepted: [`ANSWER: ${fee}`],
    refused: [`ANSWER: ${fee + 1}`],
  };
});

/** An informal message, to be put into a record. */
export const extraction = topic('extraction', (random) => {
  const [sender = '', receiver = ''] = random.sample(people, 2);
  const [item = '', other = ''] = random.sample(goods, 2);
  const quantity = random.int(3, 60);
  const day = random.int(10, 28);
  const record = { customer: sender, item, quantity, deliver_to: receiver, date: `2031-03-${day}` };
  const text = JSON.stringify(record);
  return {
    turns: [
      `Hello, ${sender} here. We thought about ${random.int(61, 90)} ${other} first, but please send ${quantity} ${item} instead. They go to ${receiver}, not to me, on ${day} March 2031. Thank you!\n-----\nPut the order above into one JSON object and reply with nothing else. Its fields: customer (who writes), item (one word, in the plural as written), quantity (an integer), deliver_to (a name), date (YYYY-MM-DD).`,
    ],
    expect: [{ json: { at: '', equals: record } }],
    accepted: [text],
    refused: [JSON.stringify({ ...record, item: other })],
  };
});

/** Several rules of form at once. */
export const form = topic('form', (random) => {
  const chosen = random.pick(words);
  const count = random.int(6, 9);
  const filler = Array.from({ length: count - 3 }, () => 'plain').join(' ');
  const good = `the ${chosen} is ${filler}`;
  return {
    turns: [
      `Write one line of exactly ${count} words. Use lower case only, use the word "${chosen}" once, and use no comma and no full stop. Reply with the line only.`,
    ],
    expect: [
      { length: 'words', min: count, max: count },
      { matches: `^${textWithout(chosen)}\\b${chosen}${textWithout(chosen)}$` },
      { matches: '^[^A-Z.,]*$' },
      { length: 'lines', max: 1 },
    ],
    accepted: [good],
    refused: [`${good} indeed`, `The ${chosen} is ${filler}`, good.replace('plain', chosen)],
  };
});

const sentencesApart = 40;

/** Two facts that stand far apart. */
export const farApart = topic('far-apart', (random) => {
  const [first = '', second = ''] = random.sample(people, 2);
  const keys = random.int(6, 19);
  const more = random.int(3, 9);
  const log = Array.from({ length: sentencesApart }, () => logSentence(random)).join('\n');
  return {
    turns: [
      `${first} holds ${more} keys more than ${second}.\n${log}\n${second} holds ${keys} keys.\nHow many keys does ${first} hold? End your reply with one line: "ANSWER:", then the number.`,
    ],
    expect: [{ number: keys + more, last: true }],
    accepted: [`ANSWER: ${keys + more}`],
    refused: [`ANSWER: ${keys}`],
  };
});
