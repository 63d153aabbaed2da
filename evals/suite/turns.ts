/** Several turns as one text, for display. A single turn is shown unchanged. */
export function joinTurns(turns: readonly string[]): string {
  if (turns.length === 1) return turns[0] ?? '';
  return turns.map((turn, index) => `[turn ${index + 1} of ${turns.length}]\n${turn}`).join('\n\n');
}
