/** Right answers of every type, drawn from a seed, and the shape of a style that dresses one up as a whole reply. */
import type { AnswerType, AnswerValue } from '#evals/suite/reader/answer.ts';
import type { Random } from '#evals/random.ts';
import { inventWords } from '#evals/suite/language/invented-word.ts';

export interface DrawnAnswer {
  readonly type: AnswerType;
  readonly value: AnswerValue | number;
  /** The canonical form that a prompt asks for. */
  readonly text: string;
}

export interface ReplyStyle {
  readonly name: string;
  readonly types?: readonly AnswerType[];
  write(answer: DrawnAnswer, random: Random): string;
}

export const answerTypes: readonly AnswerType[] = [
  'number',
  'word',
  'list',
  'set',
  'date',
  'time',
  'digits',
  'line',
];

const pad = (value: number) => String(value).padStart(2, '0');

export function drawAnswer(random: Random, type: AnswerType): DrawnAnswer {
  switch (type) {
    case 'number': {
      const value = random.pick([1, -1, 1, 1]) * random.int(1, 10 ** random.int(1, 8));
      return { type, value, text: String(value) };
    }
    case 'word': {
      const [word = ''] = inventWords(random, 1);
      const value = random.pick([
        word,
        word.charAt(0).toUpperCase() + word.slice(1),
        'Wednesday',
        'yes',
        'E',
      ]);
      return { type, value, text: value };
    }
    case 'list':
    case 'set': {
      const words = inventWords(random, random.int(2, 12));
      const named = random.chance(0.5)
        ? words
        : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
      return { type, value: named, text: named.join(', ') };
    }
    case 'date': {
      const value = `${random.int(1980, 2060)}-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}`;
      return { type, value, text: value };
    }
    case 'time': {
      const value = `${pad(random.int(0, 23))}:${pad(random.int(0, 59))}`;
      return { type, value, text: value };
    }
    case 'digits': {
      const value = random.text('0123456789', random.int(3, 14));
      return { type, value, text: value };
    }
    case 'line': {
      const words = inventWords(random, random.int(2, 9));
      const value = words.map((word) => (random.chance(0.25) ? word.toUpperCase() : word)).join(' ');
      return { type, value, text: value };
    }
  }
}

const shift = (text: string, random: Random) => {
  const place = random.int(0, text.length - 1);
  const digit = Number(text.charAt(place));
  return text.slice(0, place) + String((digit + random.int(1, 8)) % 10) + text.slice(place + 1);
};

/** A wrong answer close to `answer`: off by one, another order, an item more or less, another letter case. */
export function drawNearMiss(random: Random, answer: DrawnAnswer): DrawnAnswer {
  const { type, value } = answer;
  switch (type) {
    case 'number': {
      const wrong = Number(value) + random.pick([1, -1, 10, -10, 100]);
      return { type, value: wrong, text: String(wrong) };
    }
    case 'word': {
      const wrong = random.pick(['Tuesday', 'no', 'B', ...inventWords(random, 2)]);
      return { type, value: wrong, text: wrong };
    }
    case 'list':
    case 'set': {
      const items = [...(value as readonly string[])];
      const [extra = ''] = inventWords(random, 1, 4);
      const wrong = random.pick([
        items.slice(1),
        items.slice(0, -1),
        [...items, extra],
        items.with(0, extra),
        ...(type === 'list' ? [items.toReversed(), items.with(0, items[0]?.toUpperCase() ?? '')] : []),
      ]);
      const shown = wrong.length === 0 ? [extra] : wrong;
      return { type, value: shown, text: shown.join(', ') };
    }
    case 'date': {
      const time = Date.parse(`${String(value)}T00:00:00Z`) + random.pick([-1, 1, 7, 31]) * 86_400_000;
      const wrong = new Date(time).toISOString().slice(0, 10);
      return { type, value: wrong, text: wrong };
    }
    case 'time': {
      const [hour = 0, minute = 0] = String(value).split(':').map(Number);
      const wrong = `${pad((hour + random.int(1, 23)) % 24)}:${pad((minute + random.int(0, 59)) % 60)}`;
      return { type, value: wrong, text: wrong };
    }
    case 'digits': {
      const wrong = random.pick([shift(String(value), random), `0${String(value)}`]);
      return { type, value: wrong, text: wrong };
    }
    case 'line': {
      const words = String(value).split(' ');
      const wrong = random
        .pick([
          words.toReversed(),
          words.slice(1).concat(words.slice(0, 1)),
          words.map((word) => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase())),
          words.concat('tovun'),
          words.slice(0, -1).concat('tovun'),
        ])
        .join(' ');
      const shown = wrong === value ? `${wrong} tovun` : wrong;
      return { type, value: shown, text: shown };
    }
  }
}
