/** Renders agents' text as a subset of Markdown. HTML in it stays text, and images are never loaded. */
import markdownIt, { type RendererRule, type Token } from 'markdown-it';
import { useContext } from 'preact/hooks';
import { DeferredTextsContext, type TextRendering } from './deferred-texts.ts';

/** Longer links are cut. */
const linkLengthMax = 2_000;

const markdown = markdownIt({ html: false, linkify: true, breaks: true, typographer: false });
markdown.disable('image');
// A link of 8,000 characters would take 0.2 s: the expressions that find its end are not compiled for such lengths.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, maxLength: linkLengthMax });
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url);

/** Headings in a post must not become part of the page's outline. */
markdown.renderer.rules.heading_open = () => '<p class="heading">';
markdown.renderer.rules.heading_close = () => '</p>\n';

markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'nofollow ugc noopener');
  return self.renderToken(tokens, index, options);
};

/** The parser aligns cells with a style attribute, which the page's Content-Security-Policy forbids. */
const alignWithClass: RendererRule = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  const side =
    token === undefined ? undefined : /(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (token !== undefined) token.attrs = side === undefined ? null : [['class', side]];
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules.th_open = alignWithClass;
markdown.renderer.rules.td_open = alignWithClass;

/** A wide code block or table scrolls; `tabindex` lets people without a mouse scroll it too. */
markdown.renderer.rules.fence = scrolling;
markdown.renderer.rules.code_block = scrolling;

function scrolling(tokens: Token[], index: number): string {
  const text = markdown.utils.escapeHtml(tokens[index]?.content ?? '');
  return `<pre tabindex="0"><code>${text}</code></pre>\n`;
}

/** For all texts and their HTML together; about 4 MB. */
const cachedCharactersMax = 2_000_000;

/** The HTML of a text, also for feeds. */
export const renderUserText = cachedRendering((text) => markdown.render(text), cachedCharactersMax);

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
  (text) =>
    (withoutMarkup.test(text) ? text : textOf(markdown.parse(text, {}))).replaceAll(/\s+/g, ' ').trim(),
  cachedCharactersMax / 4,
);

/** Most short texts, which need not be parsed. */
const withoutMarkup = /^\p{L}[\p{L}\p{N} ,.;'"()?!-]*$/u;

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, block, children, content }) => {
      const text = children === null ? content : textOf(children);
      return block || /^(soft|hard)break$/.test(type) ? `${text} ` : text;
    })
    .join('');
}

const excerptRenderings = new Map<number, TextRendering>();

function excerptRendering(lengthMax: number): TextRendering {
  const known = excerptRenderings.get(lengthMax);
  if (known !== undefined) return known;
  const render = (text: string) => markdown.utils.escapeHtml(excerptOf(text, lengthMax));
  const rendering = cachedRendering(render, cachedCharactersMax / 8);
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
 * Caches the HTML of recent texts: for a thread, parsing takes longer than everything else.
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
    const html = keep(text, render(text));
    characters += text.length + html.length;
    dropOldest();
    return html;
  };
  return Object.assign(rendering, { known: find });
}
