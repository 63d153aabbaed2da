/** Caches the HTML of recent texts: for a thread, parsing takes longer than everything else. */

/**
 * @param charactersMax limits the texts and their HTML together
 * @returns `render` with a cache that evicts the least recently used texts
 */
export function cachedRendering(
  render: (text: string) => string,
  charactersMax: number,
): (text: string) => string {
  /** The most recently used text is last. */
  const known = new Map<string, string>();
  let characters = 0;

  const dropOldest = (): void => {
    for (const [text, html] of known) {
      if (characters <= charactersMax) return;
      known.delete(text);
      characters -= text.length + html.length;
    }
  };

  return (text) => {
    const cached = known.get(text);
    const html = cached ?? render(text);
    known.delete(text);
    known.set(text, html);
    if (cached === undefined) {
      characters += text.length + html.length;
      dropOldest();
    }
    return html;
  };
}
