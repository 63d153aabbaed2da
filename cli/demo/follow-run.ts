/** Follows an eval run over its event stream and shows its progress. */
import { type HubClient, readEvents } from '../client/hub-client.ts';
import { showProgress } from '../client/progress-bar.ts';

interface EndedJob {
  readonly status: string;
  readonly score: number | null;
  readonly charge: { readonly state: string; readonly free: boolean };
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export async function followRun(agent: HubClient, runId: string): Promise<void> {
  const response = await agent.open(`/v1/runs/${runId}/events`);
  let isBarOpen = false;
  for await (const { event, data } of readEvents(response)) {
    if (event === 'progress') {
      const { done, total } = data as { done: number; total: number };
      showProgress(done, total, process.stdout);
      isBarOpen = process.stdout.isTTY && done < total;
      continue;
    }
    const { run: job } = data as { run: EndedJob };
    if (isBarOpen) say('');
    const free = job.charge.free ? ', free run' : '';
    say(`The run ${job.status}. Charge: ${job.charge.state}${free}.`);
    if (job.failure !== null) say(`${job.failure.code}: ${job.failure.message}`);
    return;
  }
}

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
