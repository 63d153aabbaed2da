/** Texts to copy that software on the way likes to change: templates, markup, quotes, scripts, digits, lines. */
import type { Topic } from '../health-case.ts';
import type { Random } from '../../random.ts';
import { capitalised, people, words } from '../words.ts';

type Text = (random: Random) => string;

/** Each is said twice with other words, so that one slip of a model is no finding. */
const texts: readonly Text[] = [
  (random) =>
    `Dear {name}, your {{item}} is ready. Quote {${random.pick(words)}} and {{${random.pick(words)}}}, pay $$5 or 7 %s.`,
  (random) =>
    `Set <b>${random.pick(words)}</b> before <i>${random.pick(words)}</i> & close the <br> tag of **${random.pick(words)}**, \`low_${random.pick(words)}_key\`.`,
  (random) =>
    `${random.pick(people)} said "${random.pick(words)}" & it's 'fine' in Tom's book -- see C:\\new\\${random.pick(words)}...`,
  (random) =>
    `naïve café, ${capitalised(random.pick(words))}, Привет, Ελλάδα, 東京, 😀 ${random.pick(words)}`,
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
        expect: [{ one_of: [copied, `-----\n${copied}\n-----`, `\`\`\`\n${copied}\n\`\`\``] }],
        accepted: [copied],
        refused: [`${copied} ${copied}`],
        sent: { copied },
      })),
};
