/** How the tour speaks: numbered steps, lines, and a bar that moves where the output is a terminal. */

let steps = 0;

export function step(title: string): void {
  steps += 1;
  console.log(`\n── ${steps}. ${title} ──`);
}

export function say(text: string): void {
  console.log(text);
}

export function showJson(title: string, value: unknown): void {
  console.log(`${title}\n${JSON.stringify(value, null, 2).replaceAll(/^/gm, '  ')}`);
}

const barWidth = 30;
/** Where nothing can be overwritten, one line for so many cases. */
const linesEvery = 10;

export function showProgress(done: number, total: number): void {
  const filled = total === 0 ? 0 : Math.round((done / total) * barWidth);
  const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${done}/${total}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${bar}`);
  else if (done % linesEvery === 0 || done === total) console.log(bar);
}
