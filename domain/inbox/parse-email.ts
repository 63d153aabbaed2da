/** Parses an email, however broken it is. What is not valid MIME is kept as plain text. */
import { Parser } from 'htmlparser2';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ListedAttachment } from '#db/schema/mail-tables.ts';
import { markFlow, unflow } from './flowed-text.ts';
import {
  attachmentNameLengthMax,
  attachmentsListedMax,
  emailHeaderLengthMax,
  emailTextLengthMax,
  htmlLengthMax,
  mimeBordersMax,
  mimeHeaderBytesMax,
  mimeLinesMax,
  mimeNestingMax,
  recipientsLengthMax,
} from './inbox-limits.ts';

interface ParsedEmail {
  /** As in the email, including angle brackets; null if it has none. */
  readonly messageId: string | null;
  /** Empty if the email does not say; the same goes for `recipients`. */
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly ListedAttachment[];
}

/** What the parser has collected of an email, or of one within it, before it renders the texts. */
interface Collected {
  readonly textTypes: Set<string>;
  readonly textMap: Map<
    unknown,
    Partial<Record<'plain' | 'html', { readonly type: string; value: unknown }[]>>
  >;
}

// The parser's declarations omit this method.
const parser = PostalMime.prototype as unknown as { renderTextContent: (this: Collected) => void };
const { renderTextContent } = parser;
/**
 * Of an email with both, the parser would render each plain text as HTML, which takes seconds and a gigabyte, and which
 * nobody reads. HTML becomes text in as much time, so only its beginning does.
 */
parser.renderTextContent = function (this: Collected): void {
  const parts = [...this.textMap.values()];
  const isText = parts.some(({ plain = [] }) =>
    plain.some(({ value }) => typeof value !== 'string' || unflow(value).trim() !== ''),
  );
  if (isText) this.textTypes.delete('html');
  let left = htmlLengthMax;
  for (const part of parts.flatMap(({ html = [] }) => html)) {
    if (typeof part.value !== 'string') continue;
    part.value = part.value.slice(0, left);
    left = Math.max(0, left - String(part.value).length);
  }
  renderTextContent.call(this);
};

const parserLimits = { maxNestingDepth: mimeNestingMax, maxHeadersSize: mimeHeaderBytesMax };

export async function parseEmail(raw: Uint8Array): Promise<ParsedEmail> {
  if (!isBeyondMime(raw)) {
    const email = await read(markFlow(raw));
    if (email !== null && !isEmpty(email)) return shape(email, textOf(email));
  }
  // The header may still be readable on its own.
  const head = (await read(headOf(raw))) ?? { headers: [], headerLines: [], attachments: [] };
  return shape({ ...head, attachments: [] }, decode(raw));
}

async function read(raw: Uint8Array): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, parserLimits);
  } catch {
    return null; // Nested too deeply, or the header is too long. The caller falls back to plain text.
  }
}

/** The parser spends time and memory on every boundary and every line. */
function isBeyondMime(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return hasMore(bytes, '\n--', mimeBordersMax) || hasMore(bytes, '\n', mimeLinesMax);
}

function hasMore(bytes: Buffer, mark: string, timesMax: number): boolean {
  let times = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    times += 1;
    if (times > timesMax) return true;
  }
  return false;
}

/** The parser returns an email without content for input that is not an email. */
function isEmpty({ from, to, subject, messageId, text, html, attachments }: Email): boolean {
  return (
    [from, to, subject, messageId, text, html].every((part) => part === undefined) && attachments.length === 0
  );
}

function headOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, mimeHeaderBytesMax));
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'))?.index ?? bytes.byteLength;
  return bytes.subarray(0, end);
}

function textOf({ text, html }: Email): string {
  const plain = unflow(text ?? '');
  if (plain.trim() !== '') return plain;
  return html === undefined ? '' : htmlToText(unflow(html));
}

function shape(email: Email, text: string): ParsedEmail {
  const messageId = sanitizeLine(email.messageId ?? '', emailHeaderLengthMax);
  return {
    messageId: messageId === '' ? null : messageId,
    sender: email.from === undefined ? '' : sanitizeLine(showAddress(email.from), emailHeaderLengthMax),
    recipients: sanitizeLine((email.to ?? []).map(showAddress).join(', '), recipientsLengthMax),
    subject: sanitizeLine(email.subject ?? '', emailHeaderLengthMax),
    text: sanitizeBlock(text),
    attachments: email.attachments.slice(0, attachmentsListedMax).map(listAttachment),
  };
}

function listAttachment({ filename, mimeType, content }: Attachment): ListedAttachment {
  const name = sanitizeLine(filename ?? '', attachmentNameLengthMax);
  return {
    filename: name === '' ? null : name,
    contentType: sanitizeLine(mimeType, attachmentNameLengthMax),
    size: Buffer.byteLength(content),
  };
}

/**
 * `ada@example.org`, `Ada <ada@example.org>`, `"Doe, Jane" <jane@example.org>`, or
 * `Team: a@example.org, b@example.org;`
 */
function showAddress({ name, address, group }: Address): string {
  if (group !== undefined) return `${quote(name)}: ${group.map(showAddress).join(', ')};`;
  if (name === '') return address;
  return address === '' ? name : `${quote(name)} <${address}>`;
}

function quote(name: string): string {
  return /[",:;<>@\\()[\]]/.test(name) ? `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"` : name;
}

function decode(raw: Uint8Array): string {
  // A code point takes at most four bytes.
  return new TextDecoder().decode(raw.subarray(0, 4 * (emailTextLengthMax + 1)));
}

const breaking = new Set(
  `address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav
  ol p pre section table tr ul`.split(/\s+/),
);
const cells = new Set(['td', 'th']);
const hidden = new Set(['head', 'noscript', 'script', 'select', 'style', 'template', 'textarea', 'title']);

/** Extracts the readable text of an HTML email that has no plain-text part. Drops links, styles and scripts. */
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

const cutMark = '\n[The rest of this email was cut off.]';

/**
 * Returns one line without control characters.
 * @param lengthMax in code points
 */
export function sanitizeLine(text: string, lengthMax: number): string {
  return cut(
    text
      .slice(0, 2 * lengthMax + 2)
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim(),
    lengthMax,
    '…',
  );
}

/** Returns lines that end in a newline; tab is the only other control character kept. */
function sanitizeBlock(text: string): string {
  const bounded = text.slice(0, 2 * emailTextLengthMax + 2).toWellFormed();
  const plain = bounded.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return cut(plain.trimEnd(), emailTextLengthMax, cutMark);
}

function cut(text: string, lengthMax: number, mark: string): string {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= lengthMax) return wellFormed;
  const characters = Array.from(wellFormed);
  if (characters.length <= lengthMax) return wellFormed;
  return characters.slice(0, lengthMax - Array.from(mark).length).join('') + mark;
}
