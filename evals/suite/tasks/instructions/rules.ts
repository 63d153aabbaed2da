/** The rules about letters, words and lines. Each reports what it found when a text breaks it. */
import { quote } from '../../graders/grader.ts';
import type { Writing } from '../../grading/read-writing.ts';
import { allWords, listOf, ordinal, type Rule } from './rule.ts';

/** The first line in which `fault` finds something. */
function faultInLines(writing: Writing, find: (words: readonly string[], at: number) => string | null) {
  for (const [at, { words }] of writing.lines.entries()) {
    const fault = find(words, at);
    if (fault !== null) return `${fault} in line ${at + 1}`;
  }
  return null;
}

export function acrostic(word: string): Rule {
  return {
    name: 'acrostic',
    text: `The first letters of the lines, read from top to bottom, spell "${word}".`,
    findFault: ({ lines }) => {
      const spelt = lines.map(({ words }) => words[0]?.charAt(0) ?? '').join('');
      return spelt === word ? null : `the letters ${quote(spelt)}`;
    },
  };
}

export function chain(): Rule {
  return {
    name: 'chain',
    text: 'Each line after the first begins with the last word of the line before it.',
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words.at(-1);
        return before === undefined || words[0] === before ? null : `${quote(words[0] ?? '')} first`;
      }),
  };
}

export function alphabetical(): Rule {
  return {
    name: 'alphabetical-lines',
    text: 'The first words of the lines are all different and in alphabetical order.',
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words[0];
        return before === undefined || before < (words[0] ?? '') ? null : `${quote(words[0] ?? '')} too late`;
      }),
  };
}

export function wordsPerLine(counts: readonly number[]): Rule {
  return {
    name: 'words-per-line',
    text:
      counts.length === 1
        ? `The line has exactly ${counts[0]} words.`
        : `The lines have ${listOf(counts)} words, in this order.`,
    findFault: (writing) =>
      faultInLines(writing, (words, at) => (words.length === counts[at] ? null : `${words.length} words`)),
  };
}

export function increasing(): Rule {
  return {
    name: 'growing-lines',
    text: 'Each line has more words than the line before it.',
    findFault: (writing) =>
      faultInLines(writing, (words, at) => {
        const before = writing.lines[at - 1]?.words.length ?? 0;
        return words.length > before ? null : `${words.length} words after ${before}`;
      }),
  };
}

export function totalWords(count: number): Rule {
  return {
    name: 'total-words',
    text: `The whole text has exactly ${count} words.`,
    findFault: (writing) => {
      const found = allWords(writing).length;
      return found === count ? null : `${found} words`;
    },
  };
}

export function withoutLetter(letter: string): Rule {
  return {
    name: 'letter-avoided',
    text: `The letter "${letter}" does not occur anywhere.`,
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const word = words.find((other) => other.includes(letter));
        return word === undefined ? null : quote(word);
      }),
  };
}

export function letterCount(letter: string, count: number): Rule {
  return {
    name: 'letter-count',
    text: `The letter "${letter}" occurs exactly ${count} times in the whole text.`,
    findFault: (writing) => {
      const found = countLetter(allWords(writing), letter);
      return found === count ? null : `it ${found} times`;
    },
  };
}

export function countLetter(words: readonly string[], letter: string): number {
  return words.join(' ').split(letter).length - 1;
}

export function maxWordLength(length: number): Rule {
  return {
    name: 'short-words',
    text: `No word has more than ${length} letters.`,
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const word = words.find((other) => other.length > length);
        return word === undefined ? null : quote(word);
      }),
  };
}

export function noRepeats(): Rule {
  return {
    name: 'no-word-twice',
    text: 'No word occurs twice in the text, not even a short one.',
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

export function placedWord(line: number, place: number, word: string): Rule {
  return {
    name: 'placed-word',
    text: `The ${ordinal(place)} word of line ${line} is "${word}".`,
    findFault: ({ lines }) => {
      const found = lines[line - 1]?.words[place - 1] ?? '';
      return found === word ? null : `${quote(found)} there`;
    },
  };
}

export function onePerLine(letter: string): Rule {
  return {
    name: 'one-initial-per-line',
    text: `Each line has exactly one word that begins with "${letter}".`,
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const found = words.filter((word) => word.startsWith(letter)).length;
        return found === 1 ? null : `${found} of them`;
      }),
  };
}

export function lastWordLength(length: number): Rule {
  return {
    name: 'last-word-length',
    text: `The last word of each line has exactly ${length} letters.`,
    findFault: (writing) =>
      faultInLines(writing, (words) => {
        const last = words.at(-1) ?? '';
        return last.length === length ? null : quote(last);
      }),
  };
}

export function lineMarks(line: number, mark: '!' | '?'): Rule {
  const name = mark === '!' ? 'an exclamation mark' : 'a question mark';
  return {
    name: 'line-ends',
    text: `Line ${line} ends with ${name}, and every other line with a full stop.`,
    findFault: ({ lines }) => {
      const wrong = lines.findIndex(({ text }, at) => !text.endsWith(at === line - 1 ? mark : '.'));
      return wrong < 0
        ? null
        : `${quote(lines[wrong]?.text.slice(-1) ?? '')} at the end of line ${wrong + 1}`;
    },
  };
}

export function capitalLine(line: number): Rule {
  return {
    name: 'capital-line',
    text: `Line ${line} is written in capital letters only, and no other line is.`,
    findFault: ({ lines }) => {
      const wrong = lines.findIndex(({ text }, at) => (text === text.toUpperCase()) !== (at === line - 1));
      return wrong < 0 ? null : `other letters in line ${wrong + 1}`;
    },
  };
}

export function numberSum(count: number, total: number): Rule {
  return {
    name: 'numbers-and-sum',
    text: `The text contains exactly ${count} numbers, written in digits, and they add up to ${total}.`,
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
