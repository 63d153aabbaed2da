/** A bar that moves where the stream is a terminal; elsewhere, where nothing can be overwritten, a line now and then. */

const barWidth = 30;
const linesEvery = 10;

export function showProgress(done: number, total: number, stream: NodeJS.WriteStream): void {
  const filled = total === 0 ? 0 : Math.round((done / total) * barWidth);
  const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${done}/${total}`;
  if (stream.isTTY) stream.write(done === total ? `\r${bar}\n` : `\r${bar}`);
  else if (done % linesEvery === 0 || done === total) stream.write(`${bar}\n`);
}
