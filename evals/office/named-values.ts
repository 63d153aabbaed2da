/** The values of one form that a mail names, such as all its days. Where one value is asked for, a second is a guess. */

export type NamedForm = 'figures' | 'days' | 'days and times' | 'orders and addresses';

const day = /\d{4}-\d\d?-\d\d?/;
const time = /\d{1,2}:\d\d/;
const order = /(?<![\p{L}\d])o\d{4}(?!\d)/u;
const streetAddress = /\d+ \p{L}+ (?:road|street)(?!\p{L})/u;
/** Not in a word such as `o1234`. */
const figure = /(?<![\p{L}\d])\p{Nd}+(?:[.,]\p{Nd}+)*/u;

/** Whether every value of `form` in `body` is one of those in `wanted`. */
export function namesOnly(body: string, wanted: readonly string[], form: NamedForm): boolean {
  const allowed = new Set(wanted.flatMap((text) => valuesIn(text, form)));
  return valuesIn(body, form).every((value) => allowed.has(value));
}

function valuesIn(text: string, form: NamedForm): string[] {
  const flat = flatten(text);
  switch (form) {
    case 'figures':
      return matchesOf(flat.replaceAll(either(day, time), ' '), figure);
    case 'days':
      return matchesOf(flat, day);
    case 'days and times':
      return [...matchesOf(flat, day), ...matchesOf(flat, time)];
    case 'orders and addresses':
      return [...matchesOf(flat, order), ...matchesOf(flat, streetAddress)];
  }
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(either(pattern))].map(([value]) => value);
}

function either(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'gu');
}

/** Lower case, without thousands separators, and with single spaces. */
export function flatten(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/(?<=\d)[,’' \u00a0\u202f](?=\d{3}(?!\d))/g, '')
    .replaceAll(/\s+/g, ' ');
}
