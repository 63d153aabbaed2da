/**
 * Rounds to one decimal, half up. The small addend prevents 62.45, which has no exact binary form, from becoming 62.4.
 */
export function roundToTenth(value: number): number {
  return Math.round(value * 10 + 1e-9) / 10;
}
