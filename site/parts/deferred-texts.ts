/** The texts of a page that are rendered after its frame, in slices. */
import { randomUUID } from 'node:crypto';
import { createContext } from 'preact';
import { takeTurn } from '#runtime/loop-turns.ts';

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

/** For the HTML of all texts of a page or feed. The longest posts of a page, without markup, take 200,000. */
const htmlCharactersMax = 2_000_000;

interface SlicedText {
  readonly text: string;
  readonly render: TextRendering;
}

export interface TextRendering {
  (text: string): string;
  /** What it has kept of an earlier use. */
  readonly known?: (text: string) => string | undefined;
  /** What stands for a text on a page that has no room for its HTML. */
  readonly source?: (text: string) => string;
}

/** @returns what `render` returned for each text, in order; the source of texts for which the page has no room */
export async function renderInSlices(texts: readonly SlicedText[]): Promise<readonly string[]> {
  const rendered: string[] = [];
  let left = 0;
  let room = htmlCharactersMax;
  const add = (html: string): void => {
    room -= html.length;
    rendered.push(html);
  };
  for (const { text, render } of texts) {
    if (room <= 0 && render.source !== undefined) {
      add(render.source(text));
      continue;
    }
    const known = render.known?.(text);
    if (known !== undefined) {
      add(known);
      continue;
    }
    if (text.length > left) {
      await takeTurn();
      left = sliceCharacters;
    }
    left -= text.length;
    add(render(text));
  }
  return rendered;
}
