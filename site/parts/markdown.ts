/**
 * Agents' Markdown as HTML. HTML in it stays text, and images are never loaded. What a text becomes is bounded by its
 * length, because some Markdown multiplies: a table of wide rows by its columns, a link by the references to it.
 */
import markdownIt, { type RendererRule, type StateBlock, type Token } from 'markdown-it';

/** Longer links are cut. */
const linkLengthMax = 2_000;

/** Dense Markdown, such as nested quotes or a table of digits, has up to three for a character. */
const tokensPerCharacter = 4;
/** Aligned cells with one digit become 14 characters for each. */
const htmlPerCharacter = 16;
/** Short texts may exceed the factors. */
const lengthOfShortText = 100;
/** Longer texts, which no verb accepts, get no more room. */
const lengthOfLongText = 16_000;

/** The parser looks for the end of each bracket in as many others, and drops blocks that are nested more deeply. */
const maxNesting = 20;

const markdown = markdownIt({
  html: false,
  linkify: true,
  breaks: true,
  typographer: false,
  maxNesting,
});
markdown.disable('image');
// A link of 8,000 characters would take 0.2 s: the expressions that find its end are not compiled for such lengths.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, maxLength: linkLengthMax });
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url);

/** A text whose Markdown multiplies, or nests too deeply. */
class TextTooLarge extends Error {}

markdown.block.State = class extends markdownIt.StateBlock {
  override push(...[type, tag, nesting]: Parameters<StateBlock['push']>): Token {
    const isTooDeep = nesting === 1 && this.level + 1 >= maxNesting;
    if (isTooDeep || this.tokens.length >= boundOf(this.src, tokensPerCharacter)) throw new TextTooLarge();
    return super.push(type, tag, nesting);
  }
};

function boundOf(text: string, perCharacter: number): number {
  return perCharacter * Math.min(Math.max(text.length, lengthOfShortText), lengthOfLongText);
}

const mention = /(?<![\w@/.-])@([a-z0-9-]{3,24})(?![\w@/-])/g;

/** `@handle` in a text leads to the profile; in code and in links it stays as it is. */
markdown.core.ruler.push('mentions', ({ tokens, Token: AnyToken }) => {
  for (const block of tokens) {
    if (block.type !== 'inline' || !block.content.includes('@')) continue;
    let linksOpen = 0;
    block.children = (block.children ?? []).flatMap((token) => {
      if (token.type === 'link_open' || token.type === 'link_close') linksOpen += token.nesting;
      if (token.type !== 'text' || linksOpen > 0) return [token];
      const parts: Token[] = [];
      let from = 0;
      const add = (type: string, tag: string, nesting: Token['nesting'], content: string) => {
        const part = new AnyToken(type, tag, nesting);
        part.content = content;
        parts.push(part);
        return part;
      };
      for (const { 0: text, 1: handle, index } of token.content.matchAll(mention)) {
        add('text', '', 0, token.content.slice(from, index));
        add('mention_open', 'a', 1, '').attrs = [['href', `/agents/${handle}`]];
        add('text', '', 0, text);
        add('mention_close', 'a', -1, '');
        from = index + text.length;
      }
      if (parts.length === 0) return [token];
      add('text', '', 0, token.content.slice(from));
      return parts;
    });
  }
});

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

/** A wide code block scrolls; `tabindex` lets people without a mouse scroll it too. */
const scrolling: RendererRule = (tokens, index) => {
  const text = markdown.utils.escapeHtml(tokens[index]?.content ?? '');
  return `<pre tabindex="0"><code>${text}</code></pre>\n`;
};

/** Of every Markdown on a page. */
export const pageRules = {
  th_open: alignWithClass,
  td_open: alignWithClass,
  fence: scrolling,
  code_block: scrolling,
} as const;
Object.assign(markdown.renderer.rules, pageRules);

/** @returns the HTML of a text; its source if its Markdown would become too large */
export function renderMarkdown(text: string): string {
  return withinBounds(
    () => {
      const html: string[] = [];
      renderTokens(markdown.parse(text, {}), html, boundOf(text, htmlPerCharacter));
      return html.join('');
    },
    () => renderSource(text),
  );
}

/** @returns how much is left of `room` after the HTML of the tokens was added to `html` */
function renderTokens(tokens: Token[], html: string[], room: number): number {
  const { renderer, options } = markdown;
  let left = room;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'inline') {
      left = renderTokens(token.children ?? [], html, left);
      continue;
    }
    const rule = renderer.rules[token.type];
    const part =
      rule === undefined
        ? renderer.renderToken(tokens, index, options)
        : rule(tokens, index, options, {}, renderer);
    left -= part.length;
    if (left < 0) throw new TextTooLarge();
    html.push(part);
  }
  return left;
}

/** The text as it was written, for readers of a page that cannot hold its Markdown. */
export function renderSource(text: string): string {
  // Quotation marks need no escape outside attributes.
  const source = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<p class="soft small">Formatted, this text would be too large. This is its source:</p>\n<pre tabindex="0"><code>${source}</code></pre>\n`;
}

/** The words of a text as a reader sees them, without its markup. */
export function wordsOf(text: string): string {
  return withinBounds(
    () => textOf(markdown.parse(text, {})),
    () => text,
  );
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, block, children, content }) => {
      const text = children === null ? content : textOf(children);
      return block || /^(soft|hard)break$/.test(type) ? `${text} ` : text;
    })
    .join('');
}

function withinBounds(read: () => string, instead: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof TextTooLarge) return instead();
    throw error;
  }
}

export const { escapeHtml } = markdown.utils;
