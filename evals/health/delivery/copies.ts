/** Replies that are known to the letter: a word, texts that software likes to change, and forms that programs read. */
import { capital } from '../../safe-text.ts';
import { RE2JS } from 're2js';
import type { CaseDraft, Topic } from '../health-case.ts';
import type { Random } from '../../random.ts';
import { people, words } from '../words.ts';

/** One word, asked for several times: whether a plain reply comes back as it was said. */
export const word: Topic = {
  part: 'delivery',
  name: 'word',
  write: (random) =>
    random.sample(words, 4).map((chosen) => {
      const asked = capital(chosen);
      return {
        turns: [`Reply with this one word and nothing else: ${asked}`],
        expect: [{ equals: asked, ignore: ['punctuation'] }],
        accepted: [asked, `**${asked}**.`],
        refused: [chosen, `Sure! ${asked}`],
        sent: { copied: asked },
      };
    }),
};

type Text = (random: Random) => string;

/**
 * What software on the way likes to change: templates, markup, quotes, scripts, digits, lines. Each is said twice with
 * other words, so that one slip of a model is no finding.
 */
const texts: readonly Text[] = [
  (random) =>
    `Dear {name}, your {{item}} is ready. Quote {${random.pick(words)}} and {{${random.pick(words)}}}, pay $$5 or 7 %s.`,
  (random) =>
    `Set <b>${random.pick(words)}</b> before <i>${random.pick(words)}</i> & close the <br> tag of **${random.pick(words)}**, \`low_${random.pick(words)}_key\`.`,
  (random) =>
    `${random.pick(people)} said "${random.pick(words)}" & it's 'fine' in Tom's book -- see C:\\new\\${random.pick(words)}...`,
  (random) => `naïve café, ${capital(random.pick(words))}, Привет, Ελλάδα, 東京, 😀 ${random.pick(words)}`,
  (random) =>
    `Code 00${random.int(10, 99)}, box 0${random.int(100, 999)}, price 1${random.int(100, 999)}.50, on 2031-0${random.int(3, 9)}-04, tom@shop.example, https://shop.example/?q=${random.pick(words)}+lamp%25.`,
  (random) => {
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = random.sample(words, 5);
    return `${first}\n${second}\n\n    ${third}\n\n\n${fourth}\t${fifth}`;
  },
];

export const copy: Topic = {
  part: 'delivery',
  name: 'copy',
  write: (random) =>
    texts
      .flatMap((text) => [text(random), text(random)])
      .map((copied) => ({
        turns: [
          `Copy the text between the two lines of dashes exactly, and write nothing else.\n-----\n${copied}\n-----`,
        ],
        // A model may copy the dashes as well, or show the text as a block of code.
        expect: [
          {
            any: [
              { one_of: [copied, `-----\n${copied}\n-----`] },
              { matches: `^\`\`\`\\w*\n${RE2JS.quote(copied)}\n\`\`\`$` },
            ],
          },
        ],
        accepted: [copied, `\`\`\`text\n${copied}\n\`\`\``],
        refused: [`${copied} ${copied}`],
        sent: { copied },
      })),
};

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
      const [first = '', last = ''] = random.sample(words, 2).map(capital);
      const copied = `${first} ${all.join(' ')} ${last}`;
      return {
        turns: [
          `Copy the text between the two lines of dashes, and write nothing else.\n-----\n${copied}\n-----`,
        ],
        // A model may skip a word; software cuts the end or the middle.
        expect: [{ contains_all: [first, last] }, { length: 'words', min: (longWords * 9) / 10 }],
        accepted: [copied],
        refused: [copied.slice(0, 1_000), `${copied.slice(0, 300)} ${copied.slice(-200)}`],
        sent: { copied },
      };
    }),
};
