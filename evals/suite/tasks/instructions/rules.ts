/** The demands on letters, words and lines. Each reports what it found when a text breaks it. */
import { quote } from '../../graders/grader.ts';
import type { Writing } from '../../grading/read-writing.ts';
import { listOf, ordinal } from '../../language/sentence.ts';
import { allWords, type Demand } from './rule.ts';

/** The first line in which `fault` finds something. */
function faultInLines(writing: Writing, find: (words: readonly string[], at: number) => string | null) {
  for (const [at, { words }] of writing.lines.entries()) {
    const fault = find(words, at);
    if (fault !== null) return `${fault} in line ${at + 1}`;
  }
  return null;
}

export function acrostic(word: string): Demand {
  return {
    name: 'acrostic',
    values: { word, letters: listOf(word.split('')) },
    findFault: ({ lines }) => {
      const spelt = lines.map(({ words }) => words[0]?.charAt(0) ?? '').join('');
      return spelt === word ? null : `the letters ${quote(spelt)}`;
    },
  };
}

export function chain(): Demand {
  return {
    name: 'chain',
    values: {},
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words.at(-1);
        return before === undefined || words[0] === before ? null : `${quote(words[0] ?? '')} first`;
      }),
  };
}

export function alphabetical(): Demand {
  return {
    name: 'alphabetical-lines',
    values: {},
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words[0];
        return before === undefined || before < (words[0] ?? '') ? null : `${quote(words[0] ?? '')} too late`;
      }),
  };
}

export function wordsPerLine(counts: readonly number[]): Demand {
  return {
    name: 'words-per-line',
    values: {
      counts: listOf(counts),
      pairs: listOf(counts.map((count, at) => `${count} in line ${at + 1}`)),
    },
    findFault: (writing) =>
      faultInLines(writing, (words, at) => (words.length === counts[at] ? null : `${words.length} words`)),
  };
}

export function increasing(): Demand {
  return {
    name: 'growing-lines',
    values: {},
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words.length ?? 0;
        return words.length > before ? null : `${words.length} words after ${before}`;
      }),
  };
}

export function totalWords(count: number): Demand {
  return {
    name: 'total-words',
    values: { count },
    findFault: (writing) => {
      const found = allWords(writing).length;
      return found === count ? null : `${found} words`;
    },
  };
}

export function withoutLetter(letter: string): Demand {
  return {
    name: 'letter-avoided',
    values: { letter },
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const word = words.find((other) => other.includes(letter));
        return word === undefined ? null : quote(word);
      }),
  };
}

export function letterCount(letter: string, count: number): Demand {
  return {
    name: 'letter-count',
    values: { letter, count },
    findFault: (writing) => {
      const found = countLetter(allWords(writing), letter);
      return found === count ? null : `it ${found} times`;
    },
  };
}

export function countLetter(words: readonly string[], letter: string): number {
  return words.join(' ').split(letter).length - 1;
}

export function maxWordLength(length: number): Demand {
  return {
    name: 'short-words',
    values: { length },
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const word = words.find((other) => other.length > length);
        return word === undefined ? null : quote(word);
      }),
  };
}

export function noRepeats(): Demand {
  return {
    name: 'no-word-twice',
    values: {},
    findFault: (writing) => {
      const seen = new Set<string>();
      for (const word of allWords(writing)) {
        if (seen.has(word)) return `${quote(word)} twice`;
        seen.add(word);
      }
      return null;
    },
  };
}

export function placedWord(line: number, place: number, word: string): Demand {
  return {
    name: 'placed-word',
    values: { line, place, word, nth: ordinal(place), nth_line: ordinal(line) },
    findFault: ({ lines }) => {
      const found = lines[line - 1]?.words[place - 1] ?? '';
      return found === word ? null : `${quote(found)} there`;
    },
  };
}

export function onePerLine(letter: string): Demand {
  return {
    name: 'one-initial-per-line',
    values: { letter },
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const found = words.filter((word) => word.startsWith(letter)).length;
        return found === 1 ? null : `${found} of them`;
      }),
  };
}

export function lastWordLength(length: number): Demand {
  return {
    name: 'last-word-length',
    values: { length },
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const last = words.at(-1) ?? '';
        return last.length === length ? null : quote(last);
      }),
  };
}

export function lineMarks(line: number, mark: '!' | '?'): Demand {
  return {
    name: 'line-ends',
    values: { line, mark: mark === '!' ? 'an exclamation mark' : 'a question mark' },
    findFault: ({ lines }) => {
      const wrong = lines.findIndex(({ text }, at) => !text.endsWith(at === line - 1 ? mark : '.'));
      return wrong < 0
        ? null
        : `${quote(lines[wrong]?.text.slice(-1) ?? '')} at the end of line ${wrong + 1}`;
    },
  };
}

export function capitalLine(line: number): Demand {
  return {
    name: 'capital-line',
    values: { line },
    findFault: ({ lines }) => {
      const wrong = lines.findIndex(({ text }, at) => (text === text.toUpperCase()) !== (at === line - 1));
      return wrong < 0 ? null : `other letters in line ${wrong + 1}`;
    },
  };
}

export function numberSum(count: number, total: number): Demand {
  return {
    name: 'numbers-and-sum',
    values: { count, total },
    findFault: (writing) => {
      const numbers = allWords(writing)
        .filter((word) => /^\d{1,9}$/.test(word))
        .map(Number);
      const sum = numbers.reduce((left, right) => left + right, 0);
      return numbers.length === count && sum === total
        ? null
        : `${numbers.length} numbers with the sum ${sum}`;
    },
  };
}
