/** Natural ways to write one value, shared by the styles. */
import type { Pick, StyledAnswer } from './answer-style.ts';

/** The answer as a JSON value: numbers bare, lists as arrays, the rest as strings. */
export function asJson(answer: StyledAnswer): string {
  if (answer.type === 'number') return answer.text;
  if (answer.type === 'list' || answer.type === 'set')
    return JSON.stringify(answer.value).replaceAll('","', '", "');
  return JSON.stringify(answer.text);
}

/** The answer inside a sentence. Lines are quoted, so that the sentence's own punctuation stays outside. */
export function inSentence(answer: StyledAnswer): string {
  return answer.type === 'line' ? quote(answer.text) : answer.text;
}

/** Quoted by marks that the text does not contain. */
export function quote(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes('`') ? `“${text}”` : `\`${text}\``;
}

export function codeSpan(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function fence(text: string, language = ''): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Groups the integer part by thousands: `12345.6` becomes `12,345.6`. */
export function groupThousands(text: string, separator: string): string {
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, separator), ...fraction].join('.');
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(items: readonly string[], lastComma: boolean): string {
  if (items.length < 2) return items.join('');
  const comma = lastComma && items.length > 2 ? ',' : '';
  return `${items.slice(0, -1).join(', ')}${comma} and ${items.at(-1)}`;
}

/** The items of a list or set, or the text of any other answer as the only item. */
export function itemsOf(answer: StyledAnswer): readonly string[] {
  return answer.type === 'list' || answer.type === 'set' ? answer.value : [answer.text];
}

export function dateInWords(date: string, pick: Pick): string {
  const day = Number(date.slice(8));
  const year = date.slice(0, 4);
  const month = dateParts(date, { month: 'long' });
  return pick([
    `${day} ${month} ${year}`,
    `${month} ${day}, ${year}`,
    `${day} ${month.slice(0, 3)} ${year}`,
    `${month} ${day}${ordinalEnding(day)}, ${year}`,
    `${day}${ordinalEnding(day)} of ${month} ${year}`,
  ]);
}

export function weekday(date: string): string {
  return dateParts(date, { weekday: 'long' });
}

/** `14:05` becomes `2:05 PM`. */
export function twelveHour(time: string, suffixes: { am: string; pm: string }): string {
  const hour = Number(time.slice(0, 2));
  return `${hour % 12 === 0 ? 12 : hour % 12}${time.slice(2)}${hour < 12 ? suffixes.am : suffixes.pm}`;
}

function dateParts(date: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

function ordinalEnding(day: number): string {
  if (day > 10 && day < 14) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th';
}
