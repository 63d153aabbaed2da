/**
 * Draws a moving bar on a terminal. Elsewhere nothing can be overwritten, so it prints a line from time to
 * time.
 */

const barWidth = 30;
const linesEvery = 10;

export function showProgress(done: number, total: number, stream: NodeJS.WriteStream): void {
  const filled = total === 0 ? 0 : Math.round((done / total) * barWidth);
  const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${done}/${total}`;
  if (stream.isTTY) stream.write(done === total ? `\r${bar}\n` : `\r${bar}`);
  else if (done % linesEvery === 0 || done === total) stream.write(`${bar}\n`);
}
