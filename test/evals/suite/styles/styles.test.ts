import { describe, expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { drawSeeds } from '../draw-seeds.ts';
import type { AnswerStyle, StyledAnswer } from './answer-style.ts';
import { composedStyles, composeStyles } from './compose-styles.ts';
import { answerStyles } from './index.ts';
import { wrongReplies } from './wrong-replies.ts';

const numbers = ['7', '0', '-12', '1234', '3.5', '-0.25', '1048576'];
const lists = [
  ['red'],
  ['plum', 'fig', 'kiwi'],
  ['12', '5', '9', '5'],
  ['anna', 'bo', 'anna'],
  ['north wing', 'lobby'],
];
const sets = [['red'], ['plum', 'fig', 'kiwi'], ['12', '5', '9'], ['north wing', 'lobby']];
const texts = {
  word: ['blue', 'harbor', 'Zorvex', 'aa'],
  date: ['2031-03-05', '2031-05-05', '2032-02-29', '2030-12-31', '2031-01-13'],
  time: ['00:00', '00:15', '09:05', '12:00', '14:35', '23:59'],
  digits: ['0042', '7', '000', '81930', '90210'],
  line: [
    'Hello World',
    'ok',
    'He said "go" & left_early <now>',
    'f(x) = `a|b` * 2',
    'ÄRGER im Büro',
    '42: {"a": 1}',
  ],
} as const;

const answers: readonly StyledAnswer[] = [
  ...numbers.map((text) => ({ type: 'number' as const, value: Number(text), text })),
  ...lists.map((value) => ({ type: 'list' as const, value, text: value.join(', ') })),
  ...sets.map((value) => ({ type: 'set' as const, value, text: value.join(', ') })),
  ...(Object.keys(texts) as (keyof typeof texts)[]).flatMap((type) =>
    texts[type].map((text): StyledAnswer => ({ type, value: text, text })),
  ),
];

const rightStyles = [...answerStyles, ...composedStyles];
const seeds = drawSeeds('answer styles', 2).slice(0, 40);

describe('answer styles', () => {
  test('are a hundred, and their names are unique', () => {
    expect(answerStyles).toHaveLength(100);
    expect(composedStyles.length).toBeGreaterThanOrEqual(100);
    expectUniqueNames(rightStyles);
  });

  test('apply to at least one type each, and to every type in large numbers', () => {
    expect(rightStyles.filter(({ types }) => types?.length === 0)).toEqual([]);
    for (const answer of answers) {
      expect(answerStyles.filter((style) => appliesTo(style, answer)).length).toBeGreaterThanOrEqual(70);
    }
  });

  test('state the answer, as its text or in a natural equivalent', () => {
    const missing: string[] = [];
    forEachReply(rightStyles, (reply, answer, style) => {
      if (!states(reply, answer)) missing.push(`${style.name}, ${answer.type} ${answer.text}: ${reply}`);
    });
    expect(missing).toEqual([]);
  });

  test('write the same reply for the same seed', () => {
    forEachReply([...rightStyles, ...wrongReplies], (reply, answer, style, seed) => {
      if (write(style, answer, seed) !== reply) throw new Error(`${style.name} is not deterministic`);
    });
  });

  test('depend on the answer: another answer gives another reply', () => {
    for (const style of rightStyles) {
      for (const type of style.types ?? (['number', 'line'] as const)) {
        const [first, second] = answers.filter((answer) => answer.type === type).slice(-2);
        expect(write(style, first!, seeds[0]!)).not.toBe(write(style, second!, seeds[0]!));
      }
    }
  });

  test('compose: the inner reply becomes the answer of the outer one', () => {
    const inner: AnswerStyle = { name: 'in', types: ['word', 'line'], write: ({ text }) => `<${text}>` };
    const outer: AnswerStyle = {
      name: 'out',
      types: ['number', 'word'],
      write: ({ text }) => `Answer: ${text}`,
    };
    const composed = composeStyles(inner, outer);
    expect(composed.name).toBe('in+out');
    expect(composed.types).toEqual(['word']);
    expect(write(composed, { type: 'word', value: 'blue', text: 'blue' }, seeds[0]!)).toBe('Answer: <blue>');
    expect(composeStyles({ name: 'any', write: ({ text }) => text }, outer).types).toEqual([
      'number',
      'word',
    ]);
  });
});

describe('wrong replies', () => {
  test('are at least 40 beside the wrong values in every style, and their names are unique', () => {
    expect(wrongReplies.length - answerStyles.length).toBeGreaterThanOrEqual(40);
    expectUniqueNames([...rightStyles, ...wrongReplies]);
  });

  test('differ from every right reply', () => {
    const right = new Map(answers.map((answer) => [answer, new Set<string>()]));
    forEachReply(rightStyles, (reply, answer) => right.get(answer)?.add(plainText(reply)));
    const clashes: string[] = [];
    forEachReply(wrongReplies, (reply, answer, style) => {
      if (right.get(answer)?.has(plainText(reply))) {
        clashes.push(`${style.name}, ${answer.type} ${answer.text}: ${reply}`);
      }
    });
    expect(clashes).toEqual([]);
  });

  test('hold a wrong value where they dress one', () => {
    const valueOnly = wrongReplies.filter(({ name }) =>
      ['wrong-value-bare', 'wrong-value-fenced', 'wrong-value-answer-line'].includes(name),
    );
    expect(valueOnly).toHaveLength(3);
    forEachReply(valueOnly, (reply, answer) => {
      const value = reply.replaceAll(/^Answer: |```\w*|\n/g, '');
      expect(value).not.toBe(answer.text);
      if (answer.type === 'set') {
        expect(value.split(', ').toSorted()).not.toEqual([...answer.value].toSorted());
      }
    });
  });
});

function appliesTo(style: AnswerStyle, answer: StyledAnswer): boolean {
  return style.types?.includes(answer.type) ?? true;
}

function write(style: AnswerStyle, answer: StyledAnswer, seed: string): string {
  const random = createRandom(seed, `${style.name}/${answer.type}/${answer.text}`);
  return style.write(answer, (items) => random.pick(items));
}

function forEachReply(
  styles: readonly AnswerStyle[],
  look: (reply: string, answer: StyledAnswer, style: AnswerStyle, seed: string) => void,
): void {
  for (const style of styles) {
    for (const answer of answers.filter((candidate) => appliesTo(style, candidate))) {
      for (const seed of seeds) look(write(style, answer, seed), answer, style, seed);
    }
  }
}

function expectUniqueNames(styles: readonly AnswerStyle[]): void {
  const names = styles.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => !/^[a-z0-9]+(?:[-+][a-z0-9]+)*$/.test(name))).toEqual([]);
}

/** Without the escapes of JSON, HTML and Markdown, and with one form for spaces, digits and dashes. */
function plainText(reply: string): string {
  const unescaped = reply.replaceAll('\\n', '\n').replaceAll('\\', '');
  const decoded = unescaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return decoded
    .normalize('NFKC')
    .replaceAll(/[\u2010\u2212]/g, '-')
    .trim();
}

/** Whether a reader who knows the answer finds it in the reply. */
function states(reply: string, answer: StyledAnswer): boolean {
  const text = plainText(reply);
  switch (answer.type) {
    case 'number': {
      const joined = text.replaceAll(/(?<=\d)(?:\{,\}|[, ])(?=\d{3}(?!\d))/g, '');
      return (joined.match(/-?\d+(?:\.\d+)?/g) ?? []).some((number) => Number(number) === answer.value);
    }
    case 'word':
      return text.toLowerCase().includes(answer.value.toLowerCase());
    case 'digits':
    case 'line':
      return text.includes(plainText(answer.value));
    case 'list': {
      let from = 0;
      return answer.value.every((item) => {
        const found = text.indexOf(item, from);
        from = found + item.length;
        return found !== -1;
      });
    }
    case 'set':
      return answer.value.every((item) => text.includes(item));
    case 'date':
      return text.includes(answer.value) || namesDate(text, answer.value);
    case 'time': {
      const [hour, minute] = answer.value.split(':').map(Number);
      return [...text.matchAll(/(\d{1,2}):(\d\d)(?: ([ap])\.?m)?/gi)].some((found) => {
        const half = found[3]?.toLowerCase();
        const written = Number(found[1]);
        const read = half ? (written % 12) + (half === 'p' ? 12 : 0) : written;
        return read === hour && Number(found[2]) === minute;
      });
    }
  }
}

function namesDate(text: string, date: string): boolean {
  const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';
  const day = /(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([A-Z][a-z]{2})[a-z]* (\d{4})/.exec(text);
  const month = /([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})/.exec(text);
  const [name, dayOfMonth, year] = day ? [day[2], day[1], day[3]] : [month?.[1], month?.[2], month?.[3]];
  if (!name || !dayOfMonth || !year) return false;
  const number = String(months.indexOf(name) / 3 + 1).padStart(2, '0');
  return `${year}-${number}-${dayOfMonth.padStart(2, '0')}` === date;
}
