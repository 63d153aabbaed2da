/** Output of the demo: numbered steps, sentences, and responses of the hub. */

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
