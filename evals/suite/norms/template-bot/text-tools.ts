/** Small functions that all solvers share: splitting, number words, the answer line. */

export const answer = (value: string | number | bigint): string => `Answer: ${value}`;

export const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

/** The numbered steps of a text ("12. Do this."), without their numbers. */
export function stepsOf(text: string): string[] {
  const steps: string[] = [];
  for (const line of linesOf(text)) {
    const match = /^\d+\. (.*)$/.exec(line);
    if (match) steps.push(match[1] ?? '');
  }
  return steps;
}

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Which of the given words a text names, in the order in which it names them. */
export function mentions(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const sorted = [...words].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`\\b(?:${sorted.map(escapeRegExp).join('|')})\\b`, 'g');
  return [...text.matchAll(pattern)].map((match) => match[0]);
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Finds "6 June 2031" or "2031-06-06" and gives the second form. */
export function findDate(text: string): string | undefined {
  const iso = /\b\d{4}-\d\d-\d\d\b/.exec(text);
  if (iso) return iso[0];
  const long = /\b(\d{1,2}) ([A-Z][a-z]+) (\d{4})\b/.exec(text);
  const month = long ? MONTHS.indexOf(long[2] ?? '') + 1 : 0;
  if (!long || month === 0) return undefined;
  return `${long[3]}-${String(month).padStart(2, '0')}-${(long[1] ?? '').padStart(2, '0')}`;
}

const ORDINALS = [
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
];

/** "third" is 3; "other" (every other line) is 2. */
export function ordinal(word: string): number {
  return word === 'other' ? 2 : ORDINALS.indexOf(word) + 2;
}

export const minutesOf = (clock: string): number => {
  const [hours = '0', minutes = '0'] = clock.split(':');
  return Number(hours) * 60 + Number(minutes);
};
