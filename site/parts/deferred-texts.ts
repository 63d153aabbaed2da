/** The texts of a page that are rendered after its frame, in slices. */
import { createContext } from 'preact';
import { randomUUID } from 'node:crypto';
import { renderInSlices, type SlicedText } from './in-slices.ts';

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

/** Null renders texts at once. */
export const DeferredTextsContext = createContext<DeferredTexts | null>(null);
