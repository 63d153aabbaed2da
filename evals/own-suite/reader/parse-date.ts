/** Reads one calendar date whose parts are in an unambiguous order, unlike `05/03/2031`. */
import type { Parse } from './answer.ts';

const names = 'january february march april may june july august september october november december'.split(
  ' ',
);
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const month = '([a-z]{3,9})\\.?';
const day = '(\\d{1,2})(?:st|nd|rd|th)?\\.?';

const yearFirst = /^(\d{4})([-/. ])(\d{1,2})\2(\d{1,2})(?:[t ]00:00(?::00(?:\.0{1,6})?)?(?:z|[+-]00:?00)?)?$/;
const compact = /^(\d{4})(\d\d)(\d\d)$/;
const cjk = /^(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$/;
const dayFirst = new RegExp(`^(?:the )?${day}[ -]?(?:(?:day )?of )?${month}[ ,-]{1,2}(?:in )?(\\d{4})$`);
const monthFirst = new RegExp(`^${month} (?:the )?${day},? (\\d{4})$`);
const yearThenName = new RegExp(`^(\\d{4})[ ,-]{1,2}${month}[ -]${day}$`);
const weekday = /^(?:on )?([a-z]{3,9})\.?,? (?:the )?(?=.*\d)/;
const lastWeekday = /^(.*\d)(?:,| -| –| —)? \(?([a-z]{6,9})\)?$/;

export const parseDate: Parse = (text) => {
  if (text.length > 60) return null;
  const lowered = text
    .toLowerCase()
    .replaceAll(/[‐‑–−]/g, '-')
    .replaceAll(/ +/g, ' ')
    .trim();
  const plain = lowered.replace(/^on (?=the \d|\d|[a-z])/, '');
  const bare = parseWithoutWeekday(plain);
  if (bare !== null) return bare;
  const ahead = weekday.exec(plain);
  const behind = lastWeekday.exec(plain);
  if (ahead !== null) return onWeekday(parseWithoutWeekday(plain.slice(ahead[0].length)), ahead[1] ?? '');
  if (behind !== null) return onWeekday(parseWithoutWeekday(behind[1] ?? ''), behind[2] ?? '');
  return null;
};

function parseWithoutWeekday(text: string): string | null {
  const numeric = yearFirst.exec(text);
  if (numeric !== null) return isoDate(numeric[1], Number(numeric[3]), numeric[4]);
  const digits = compact.exec(text) ?? cjk.exec(text);
  if (digits !== null) return isoDate(digits[1], Number(digits[2]), digits[3]);
  const european = dayFirst.exec(text);
  if (european !== null) return isoDate(european[3], monthNumber(european[2]), european[1]);
  const american = monthFirst.exec(text);
  if (american !== null) return isoDate(american[3], monthNumber(american[1]), american[2]);
  const descending = yearThenName.exec(text);
  if (descending !== null) return isoDate(descending[1], monthNumber(descending[2]), descending[3]);
  return null;
}

/** A date with the wrong day of the week contradicts itself. */
function onWeekday(date: string | null, name: string): string | null {
  if (date === null) return null;
  const expected = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
  return name.length >= 3 && expected.startsWith(name.replace(/^(tue|thu)rs?$/, '$1')) ? date : null;
}

function monthNumber(name = ''): number {
  const found = name === 'sept' ? 8 : names.findIndex((full) => full === name || full.slice(0, 3) === name);
  return found + 1;
}

function isoDate(year = '', monthOfYear: number, dayOfMonth = ''): string | null {
  const date = `${year}-${String(monthOfYear).padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? null : date;
}
