/**
 * Finds the end of an HTTP/1.1 response, and nothing more: a parser for servers that we know, which answer every request
 * with a `Content-Length`. It looks at a response that came in one piece, as they nearly all do, without copying it.
 */

export interface ResponseEnd {
  readonly status: number;
  readonly byteLength: number;
}

const endOfHead = Buffer.from('\r\n\r\n');
/** Bun writes the first, node the second; the first letter is left out, as its case differs most. */
const lengthFields = [Buffer.from('ontent-Length: '), Buffer.from('ontent-length: ')] as const;
const statusAt = 'HTTP/1.1 '.length;
const zero = 0x30;
const nine = 0x39;

/**
 * @returns null when the response has not come in whole
 * @throws when it has no `Content-Length`
 */
export function readResponse(bytes: Buffer): ResponseEnd | null {
  const headEnd = bytes.indexOf(endOfHead);
  if (headEnd === -1) return null;
  const status = readNumber(bytes, statusAt);
  const byteLength = headEnd + endOfHead.length + bodyLength(bytes, headEnd);
  return bytes.length < byteLength ? null : { status, byteLength };
}

function bodyLength(bytes: Buffer, headEnd: number): number {
  for (const field of lengthFields) {
    const at = bytes.indexOf(field);
    if (at !== -1 && at < headEnd) return readNumber(bytes, at + field.length);
  }
  throw new Error(`The response has no Content-Length:\n${bytes.toString('latin1', 0, headEnd)}`);
}

function readNumber(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; ; at += 1) {
    const digit = bytes[at];
    if (digit === undefined || digit < zero || digit > nine) return value;
    value = value * 10 + digit - zero;
  }
}
