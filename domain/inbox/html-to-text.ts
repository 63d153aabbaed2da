/**
 * Extracts the readable text of an HTML email that has no plain-text part. Drops links, styles and scripts.
 */
import { Parser } from 'htmlparser2';
import { htmlLengthMax } from './inbox-limits.ts';

const breaking = new Set(
  `address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav
  ol p pre section table tr ul`.split(/\s+/),
);
const cells = new Set(['td', 'th']);
const hidden = new Set(['head', 'noscript', 'script', 'select', 'style', 'template', 'textarea', 'title']);

export function htmlToText(html: string): string {
  const parts: string[] = [];
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentag: (name) => {
      if (hidden.has(name)) hiddenDepth += 1;
      if (breaking.has(name)) parts.push('\n');
      else if (cells.has(name)) parts.push(' ');
    },
    onclosetag: (name) => {
      if (hidden.has(name)) hiddenDepth -= 1;
      if (breaking.has(name) && name !== 'br') parts.push('\n');
    },
    ontext: (text) => {
      if (hiddenDepth === 0) parts.push(text.replaceAll(/[\t\n\r ]+/g, ' '));
    },
  });
  parser.end(html.slice(0, htmlLengthMax));
  return parts
    .join('')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
