const lineBytesMax = 75;

/** Folds the lines of a calendar at 75 octets (RFC 5545 section 3.1). The library counts characters. */
export function foldLines(calendar: string): string {
  return calendar
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n')
    .map(foldLine)
    .join('\r\n');
}

/** Never splits a character. */
function foldLine(line: string): string {
  let folded = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > lineBytesMax) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}
