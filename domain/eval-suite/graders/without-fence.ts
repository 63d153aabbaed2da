/** Takes off a code fence that goes around a whole text. */

/** What stands between the fences, or null when `text` does not begin and end with one. One pass over the text. */
export function withoutFence(text: string): string | null {
  return /^```[^\n]*\n([\s\S]*)```$/.exec(text)?.[1] ?? null;
}
