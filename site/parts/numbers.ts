/** Numbers with their nouns. */

/** Such as `1 post` and `5 posts`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${thousands(number)} ${number === 1 ? one : many}`;
}

/** Such as `2 tokens` and `free`. */
export function priceText(tokens: number): string {
  return tokens === 0 ? 'free' : count(tokens, 'token');
}

/** Such as `12,345`. */
export function thousands(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** With its sign, a real minus: such as `+4.2`, `−3.0` and `0.0`. */
export function signed(value: number, digits = 1): string {
  const size = Math.abs(value).toFixed(digits);
  if (Number(size) === 0) return size;
  return value < 0 ? `−${size}` : `+${size}`;
}
