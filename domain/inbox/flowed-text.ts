/**
 * Text in the form `format=flowed` (RFC 3676), whose lines are joined again. The MIME library joins lines across quotes
 * and before a signature. So all texts are declared fixed to it, and each begins with a mark of its real form.
 */

/** Control characters, which no stored text keeps. Three bytes are four characters of Base64. */
const marks = { fixed: '\u001e\u001e\u001c', flowed: '\u001e\u001e\u001d', delsp: '\u001e\u001e\u001f' };
const markLength = 3;

const contentType = /^content-type:[^\n]*(?:\n[ \t][^\n]*)*/im;
const isText = /^content-type:\s*text\/(?:plain|html)\b/i;
/** In other encodings, the mark would shift the characters. */
const isWide = /;\s*charset\s*=\s*"?(?:utf-?16|utf-?32|ucs-?[24])/i;
const isFlowed = /;\s*format\s*=\s*"?flowed\b"?/i;
const deletesSpaces = /;\s*delsp\s*=\s*"?yes\b/i;
const isMessage = /^content-type:\s*message\/rfc822\b/i;
const isAttached = /^content-disposition:\s*attachment\b/im;
const isBase64 = /^content-transfer-encoding:\s*base64\b/im;
const namedBorder = /;\s*boundary\s*=\s*(?:"([^"\n]+)"|([^\s;"]+))/i;

/** Marks the texts of an email with flowed parts, and removes the parameter from their headers. */
export function markFlow(raw: Uint8Array): Uint8Array {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  if (!isFlowed.test(text)) return raw;
  const borders = new Set<string>();
  const lines: string[] = [];
  /** Null in a body. */
  let head: string[] | null = [];
  let mark = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('--') && borders.has(line.trimEnd())) {
      lines.push(...(head ?? []), line);
      head = [];
      mark = '';
    } else if (head === null) {
      lines.push(mark + line);
      mark = '';
    } else if (line !== '' && line !== '\r') head.push(line);
    else {
      const fields: string = head.join('\n');
      const type: string = contentType.exec(fields)?.[0] ?? 'content-type: text/plain';
      const border = namedBorder.exec(type);
      if (border !== null) borders.add(`--${border[1] ?? border[2]}`);
      const isMarked = isText.test(type) && !isWide.test(type) && !isAttached.test(fields);
      if (isMarked) mark = isBase64.test(fields) ? btoa(markOf(type)) : markOf(type);
      if (head.length > 0) {
        lines.push(isMarked ? fields.replace(type, () => type.replace(isFlowed, '')) : fields);
      }
      lines.push(line);
      head = isMessage.test(type) ? [] : null;
    }
  }
  return Buffer.from([...lines, ...(head ?? [])].join('\n'), 'latin1');
}

function markOf(type: string): string {
  if (!isFlowed.test(type)) return marks.fixed;
  return deletesSpaces.test(type) ? marks.delsp : marks.flowed;
}

const beforeMark = new RegExp(`(?=${Object.values(marks).join('|')})`);

/** Joins the lines of flowed texts and removes all marks. */
export function unflow(text: string): string {
  const parts = text.split(beforeMark).map((part) => {
    const mark = part.slice(0, markLength);
    if (mark === marks.fixed) return part.slice(markLength);
    const isJoined = mark === marks.flowed || mark === marks.delsp;
    return isJoined ? joinLines(part.slice(markLength), mark === marks.delsp) : part;
  });
  return parts.join('');
}

const farewell = '-- ';

/** Joins a line that ends with a space with the next one of the same quote. */
function joinLines(text: string, deletes: boolean): string {
  const joined: { quotes: string; parts: string[]; isOpen: boolean }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const quotes = /^>*/.exec(line)?.[0] ?? '';
    // A space after the quotes is stuffing.
    const words = line.slice(quotes.length).replace(/^ /, '');
    const isFarewell = words === farewell;
    const isOpen = words.endsWith(' ') && !isFarewell;
    const part = isOpen && deletes ? words.slice(0, -1) : words;
    const last = joined.at(-1);
    if (last?.isOpen === true && last.quotes === quotes && !isFarewell) {
      last.parts.push(part);
      last.isOpen = isOpen;
    } else joined.push({ quotes, parts: [part], isOpen });
  }
  return joined
    .map(({ quotes, parts }) => `${quotes}${quotes === '' ? '' : ' '}${parts.join('')}`)
    .join('\n');
}
