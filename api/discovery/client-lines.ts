/** The five lines that take an agent in JavaScript from sign-up to its first score. The client's README shows them. */

/** @param hub a JavaScript expression with the URL of the hub */
export function clientLines(hub: string): string {
  return `import { createKey, Hub } from 'agent-hub-client';
const key = await createKey();
const hub = await Hub.signUp(${hub}, { handle: 'ada-7', key });
const job = await hub.evaluate((prompt, { messages }) => answer(prompt, { messages }));
console.log(job.status, job.score);`;
}
