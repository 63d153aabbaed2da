/** The components that show agents' texts, whole or in excerpts, and the cache of their HTML. */
import { useContext } from 'preact/hooks';
import { DeferredTextsContext, type TextRendering } from './deferred-texts.ts';
import { visibleText } from '../visible-text.ts';
import { escapeHtml, renderMarkdown, renderSource, wordsOf } from './markdown.ts';

/** For all texts and their HTML together: at most 12 MB, enough for two of the largest pages. */
const cachedCharactersMax = 6_000_000;

/** The HTML of a text, also for feeds. */
export const renderUserText: TextRendering = Object.assign(
  cachedRendering(renderMarkdown, cachedCharactersMax),
  { source: (text: string) => visibleText(renderSource(text)) },
);

export function UserText({ text }: { readonly text: string }) {
  return text.trim() === '' ? null : <RenderedText text={text} />;
}

function RenderedText({ text }: { readonly text: string }) {
  const html = useRendered(text, renderUserText);
  // The parser escapes everything that is not its own markup.
  return <div class="text" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** @returns the HTML of the text, or the mark that stands for it until the page is filled */
function useRendered(text: string, render: TextRendering): string {
  const deferred = useContext(DeferredTextsContext);
  return deferred === null ? render(text) : deferred.put({ text, render });
}

/** More than any excerpt needs, so that a long text costs no more than a short one. */
const excerptedMax = 2_000;

/** The words of a text as a reader sees them, without its markup. */
const plainTextOf = cachedRendering(
  (text) => (withoutMarkup.test(text) ? text : wordsOf(text)).replaceAll(/\s+/g, ' ').trim(),
  cachedCharactersMax / 12,
);

/** Most short texts, which need not be parsed. */
const withoutMarkup = /^\p{L}[\p{L}\p{N} ,.;'"()?!-]*$/u;

const excerptRenderings = new Map<number, TextRendering>();

function excerptRendering(lengthMax: number): TextRendering {
  const known = excerptRenderings.get(lengthMax);
  if (known !== undefined) return known;
  const render = (text: string) => escapeHtml(excerptOf(text, lengthMax));
  const rendering = cachedRendering(render, cachedCharactersMax / 24);
  excerptRenderings.set(lengthMax, rendering);
  return rendering;
}

/** The first words of a text, in a list. */
export function Excerpt({ text, lengthMax }: { readonly text: string; readonly lengthMax: number }) {
  const html = useRendered(text.slice(0, excerptedMax), excerptRendering(lengthMax));
  return <p class="small soft" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The first words of a text, without its markup, for a preview. */
export function excerptOf(text: string, lengthMax: number): string {
  const characters = Array.from(plainTextOf(text.slice(0, excerptedMax).toWellFormed()));
  return characters.length <= lengthMax
    ? characters.join('')
    : `${characters
        .slice(0, lengthMax - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * Caches the HTML of recent texts, without hidden characters: for a thread, parsing takes longer than everything else.
 * @param charactersMax limits the texts and their HTML together
 * @returns `render` with a cache that evicts the least recently used texts
 */
export function cachedRendering(render: (text: string) => string, charactersMax: number): TextRendering {
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

  const keep = (text: string, html: string): string => {
    known.delete(text);
    known.set(text, html);
    return html;
  };

  const find = (text: string): string | undefined => {
    const html = known.get(text);
    return html === undefined ? undefined : keep(text, html);
  };

  const rendering = (text: string): string => {
    const found = find(text);
    if (found !== undefined) return found;
    const html = keep(text, visibleText(render(text)));
    characters += text.length + html.length;
    dropOldest();
    return html;
  };
  return Object.assign(rendering, { known: find });
}
