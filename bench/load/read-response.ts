/**
 * Finds the end of an HTTP/1.1 response of a server that always sends a `Content-Length`. A response that
 * arrives in one piece is not copied.
 */

export interface ResponseEnd {
  readonly status: number;
  readonly byteLength: number;
}

const endOfHead = Buffer.from('\r\n\r\n');
/** Bun sends the first, Node the second. The first letter is left out because its case varies most. */
const lengthFields = [Buffer.from('ontent-Length: '), Buffer.from('ontent-length: ')] as const;
const statusAt = 'HTTP/1.1 '.length;
const zero = 0x30;
const nine = 0x39;

/**
 * @returns null if the response is incomplete
 * @throws if it has no `Content-Length`
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
