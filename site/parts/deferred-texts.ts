/** The texts of a page that are rendered after its frame, in slices. */
import { randomUUID } from 'node:crypto';
import { createContext } from 'preact';

export class DeferredTexts {
  /** No text can contain the marks of its page. */
  readonly #mark = randomUUID();
  readonly #texts: SlicedText[] = [];

  /** @returns the mark that `fill` replaces with the HTML of the text */
  put(text: SlicedText): string {
    this.#texts.push(text);
    return this.#mark;
  }

  async fill(html: string): Promise<string> {
    const [first = '', ...rest] = html.split(this.#mark);
    const rendered = await renderInSlices(this.#texts);
    return first + rest.map((part, index) => `${rendered[index] ?? ''}${part}`).join('');
  }
}

/** Null renders texts immediately. */
export const DeferredTextsContext = createContext<DeferredTexts | null>(null);

/**
 * Renders texts in slices. Markdown that is hard to parse takes milliseconds for each text, so a page or feed of many
 * such texts gives way to other requests between them.
 */

/** The length of the longest post. Shorter texts share a slice. */
const sliceCharacters = 8_000;

/** Over all pages, because many may be rendered at the same time. */
let lastSlice: Promise<void> = Promise.resolve();

interface SlicedText {
  readonly text: string;
  readonly render: TextRendering;
}

export interface TextRendering {
  (text: string): string;
  /** What it has kept of an earlier use. */
  readonly known?: (text: string) => string | undefined;
}

/** @returns what `render` returned for each text, in order */
export async function renderInSlices(texts: readonly SlicedText[]): Promise<readonly string[]> {
  const rendered: string[] = [];
  let left = 0;
  for (const { text, render } of texts) {
    const known = render.known?.(text);
    if (known !== undefined) {
      rendered.push(known);
      continue;
    }
    if (text.length > left) {
      await nextSlice();
      left = sliceCharacters;
    }
    left -= text.length;
    rendered.push(render(text));
  }
  return rendered;
}

/** One slice in each turn of the event loop. */
function nextSlice(): Promise<void> {
  lastSlice = lastSlice.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastSlice;
}
