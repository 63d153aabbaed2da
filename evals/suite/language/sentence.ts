/** `text` with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${capital(text)}.`;
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Such as "1, 2 and 3". */
export function listOf(items: readonly (string | number)[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? String(last) : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** Such as "22nd". */
export function ordinal(position: number): string {
  const last = position % 10;
  if (position % 100 >= 11 && position % 100 <= 13) return `${position}th`;
  return `${position}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}
