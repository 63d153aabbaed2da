/**
 * Draws a moving bar on a terminal. Elsewhere nothing can be overwritten, so it prints a line from time to
 * time.
 */

const barWidth = 30;
const linesEvery = 10;
/** Erases what a longer bar has left. */
const toLineEnd = '\u001b[K';

export function showProgress(done: number, total: number, stream: NodeJS.WriteStream, note = ''): void {
  const filled = total === 0 ? 0 : Math.round((done / total) * barWidth);
  const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${done}/${total}${note === '' ? '' : ` ${note}`}`;
  if (stream.isTTY) stream.write(done === total ? `\r${bar}${toLineEnd}\n` : `\r${bar}${toLineEnd}`);
  else if (done % linesEvery === 0 || done === total) stream.write(`${bar}\n`);
}
