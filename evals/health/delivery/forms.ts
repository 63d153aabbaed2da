/** Replies in a form that programs read: JSON with every type, a list with order and repeats, a long text. */
import type { CaseDraft, Topic } from '../health-case.ts';
import type { Random } from '../../random.ts';
import { capitalised, people, words } from '../words.ts';

export const json: Topic = {
  part: 'delivery',
  name: 'json',
  write: (random) => [1, 2, 3].map(() => writeJson(random)),
};

function writeJson(random: Random): CaseDraft {
  const record = {
    code: `00${random.int(10, 99)}`,
    name: random.pick(people),
    count: random.int(1_001, 9_999),
    price: random.int(11, 99) + 0.5,
    paid: random.chance(0.5),
    note: null,
    tags: random.sample(words, 3),
    empty: [],
    when: `2031-0${random.int(1, 9)}-1${random.int(0, 9)}`,
  };
  const facts =
    `code (a string): ${record.code}; name (a string): ${record.name}; count (an integer): ${record.count}; price (a ` +
    `number): ${record.price}; paid (a boolean): ${record.paid ? 'yes' : 'no'}; note: null; tags (an array of strings): ` +
    `${record.tags.join(', ')}; empty: an array without items; when (a string): ${record.when}`;
  const text = JSON.stringify(record);
  return {
    turns: [`Reply with one JSON object and nothing else, with these fields:\n${facts}`],
    expect: [{ json: { at: '', equals: record } }],
    accepted: [text, `\`\`\`json\n${text}\n\`\`\``],
    refused: [text.replace('null', '"null"'), text.replace(String(record.count), `"${record.count}"`)],
    sent: { record },
  };
}

export const list: Topic = {
  part: 'delivery',
  name: 'list',
  write: (random) =>
    [1, 2].map(() => {
      const items = random.sample(words, 5);
      const [repeated = ''] = items;
      const wanted = [...random.shuffle(items), repeated, items.at(-1) ?? ''];
      return {
        turns: [
          `Write these ${wanted.length} entries again, each on a line of its own that begins with "- ". Keep their order, and keep the entries that repeat: ${wanted.join(', ')}`,
        ],
        expect: [{ list: wanted }],
        accepted: [wanted.map((item) => `- ${item}`).join('\n')],
        refused: [[...new Set(wanted)].map((item) => `- ${item}`).join('\n')],
        sent: { copied: wanted.map((item) => `- ${item}`).join('\n') },
      };
    }),
};

const longWords = 600;

export const long: Topic = {
  part: 'delivery',
  name: 'long-reply',
  write: (random) =>
    [1, 2].map(() => {
      const all = Array.from({ length: longWords }, () => random.pick(words));
      const [first = '', last = ''] = random.sample(words, 2).map(capitalised);
      const copied = `${first} ${all.join(' ')} ${last}`;
      return {
        turns: [
          `Copy the text between the two lines of dashes, and write nothing else.\n-----\n${copied}\n-----`,
        ],
        // A model may skip a word; software cuts the end.
        expect: [{ contains_all: [first, last] }],
        accepted: [copied],
        refused: [copied.slice(0, 1_000)],
        sent: { copied },
      };
    }),
};
