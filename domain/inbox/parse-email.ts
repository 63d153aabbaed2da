/** Parses an email, however broken it is. What is not valid MIME is kept as plain text. */
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ListedAttachment } from '#db/schema/mail-tables.ts';
import { htmlToText } from './html-to-text.ts';
import {
  attachmentNameLengthMax,
  attachmentsListedMax,
  emailHeaderLengthMax,
  emailTextLengthMax,
  mimeBordersMax,
  mimeHeaderBytesMax,
  mimeLinesMax,
  mimeNestingMax,
  recipientsLengthMax,
} from './inbox-limits.ts';
import { sanitizeBlock, sanitizeLine } from './sanitize-text.ts';

export interface ParsedEmail {
  /** As in the email, including angle brackets; null if it has none. */
  readonly messageId: string | null;
  /** Empty if the email does not say; the same goes for `recipients`. */
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly ListedAttachment[];
}

const parserLimits = { maxNestingDepth: mimeNestingMax, maxHeadersSize: mimeHeaderBytesMax };

export async function parseEmail(raw: Uint8Array): Promise<ParsedEmail> {
  const email = isBeyondMime(raw) ? null : await read(raw);
  if (email !== null && !isEmpty(email)) return shape(email, textOf(email));
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
  if (text !== undefined && text.trim() !== '') return text;
  return html === undefined ? '' : htmlToText(html);
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
    content_type: sanitizeLine(mimeType, attachmentNameLengthMax),
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
