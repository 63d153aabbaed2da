/**
 * Text in the form `format=flowed` (RFC 3676), whose lines are joined again. The MIME library joins lines across quotes
 * and before a signature, so it is told that the text is fixed.
 */

export type Flow = 'fixed' | 'flowed' | 'delsp';

const isFlowed = /;[ \t]*format[ \t]*=[ \t]*(?:"flowed"|flowed\b)/i;
const deletesSpaces = /;[ \t]*delsp[ \t]*=[ \t]*"?yes\b/i;

/** @returns the email without the parameter in the headers of its parts, and what the first of these says */
export function withoutFlow(raw: Uint8Array): { readonly raw: Uint8Array; readonly flow: Flow } {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  if (!/flowed/i.test(text)) return { raw, flow: 'fixed' };
  let flow: Flow = 'fixed';
  let [isHead, isContentType] = [true, false];
  const lines = text.split('\n').map((line) => {
    // A boundary, after which the headers of a part follow.
    if (line.startsWith('--')) isHead = true;
    if (line === '' || line === '\r') isHead = false;
    if (!/^[ \t]/.test(line)) isContentType = isHead && /^content-type:/i.test(line);
    if (!isContentType) return line;
    // A folded header may have the parameter at the beginning of a line.
    const at = `;${line}`;
    if (deletesSpaces.test(at)) flow = 'delsp';
    if (!isFlowed.test(at)) return line;
    if (flow === 'fixed') flow = 'flowed';
    return at.replace(isFlowed, '; format=fixed').slice(1);
  });
  return { raw: Buffer.from(lines.join('\n'), 'latin1'), flow };
}

const farewell = '-- ';

/** Joins a line that ends with a space with the next one of the same quote. */
export function unflow(text: string, flow: Flow): string {
  if (flow === 'fixed') return text;
  const joined: { quotes: string; parts: string[]; isOpen: boolean }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const quotes = /^>*/.exec(line)?.[0] ?? '';
    // A space after the quotes is stuffing.
    const words = line.slice(quotes.length).replace(/^ /, '');
    const isFarewell = words === farewell;
    const isOpen = words.endsWith(' ') && !isFarewell;
    const part = isOpen && flow === 'delsp' ? words.slice(0, -1) : words;
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
