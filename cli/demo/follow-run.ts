/** Follows an eval job over its event stream and shows how far it is. */
import { say, showProgress } from './narrate.ts';
import type { HubClient } from './hub-client.ts';

interface EndedJob {
  readonly status: string;
  readonly score: number | null;
  readonly charge: { readonly state: string; readonly free: boolean };
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export async function followRun(agent: HubClient, evalJobId: string): Promise<void> {
  const response = await agent.open(`/v1/eval-jobs/${evalJobId}/events`);
  for await (const { event, data } of readEvents(response)) {
    if (event === 'progress') {
      const { done, total } = data as { done: number; total: number };
      showProgress(done, total);
      continue;
    }
    const { eval_job: job } = data as { eval_job: EndedJob };
    const free = job.charge.free ? ', free run' : '';
    say(`\nThe run ${job.status}; the charge is ${job.charge.state}${free}.`);
    if (job.failure !== null) say(`${job.failure.code}: ${job.failure.message}`);
    return;
  }
}

/** Events of a stream as the hub writes them: a name and one line of JSON. */
async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
