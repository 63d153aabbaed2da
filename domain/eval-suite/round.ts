/** Rounding of figures for people: half up, on the decimal digits that are shown. */

/** `value` with one decimal. The tiny push keeps sums such as 62.45 from falling to 62.4 for want of a binary digit. */
export function roundToTenth(value: number): number {
  return Math.round(value * 10 + 1e-9) / 10;
}
