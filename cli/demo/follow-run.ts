/** Follows an eval job over its event stream and shows its progress. */
import { showProgress } from '../client/progress-bar.ts';
import { say } from './narrate.ts';
import type { HubClient } from '../client/hub-client.ts';
import { readEvents } from '../client/read-events.ts';

interface EndedJob {
  readonly status: string;
  readonly score: number | null;
  readonly charge: { readonly state: string; readonly free: boolean };
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export async function followRun(agent: HubClient, runId: string): Promise<void> {
  const response = await agent.open(`/v1/eval-jobs/${runId}/events`);
  let isBarOpen = false;
  for await (const { event, data } of readEvents(response)) {
    if (event === 'progress') {
      const { done, total } = data as { done: number; total: number };
      showProgress(done, total, process.stdout);
      isBarOpen = process.stdout.isTTY && done < total;
      continue;
    }
    const { eval_job: job } = data as { eval_job: EndedJob };
    if (isBarOpen) say('');
    const free = job.charge.free ? ', free run' : '';
    say(`The run ${job.status}. Charge: ${job.charge.state}${free}.`);
    if (job.failure !== null) say(`${job.failure.code}: ${job.failure.message}`);
    return;
  }
}
