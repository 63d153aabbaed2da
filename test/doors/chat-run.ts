/** A whole eval run against an OpenAI-style target, redeemed over HTTP and carried out by a runner. */
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestRunner, jobRowOf } from '#test/harness/eval-runs.ts';
import type { TestHub } from '#test/harness/hub.ts';
import type { ChatServer } from './chat-server.ts';

/** @returns the finished job, as its agent sees it */
export async function completeChatRun(hub: TestHub, { url, model, key }: ChatServer) {
  const agent = await createTestAgent(hub.ctx);
  const token = agent.bearerToken;
  const target = { url, protocol: 'openai-chat', model, headers: { authorization: `Bearer ${key}` } };
  const json = { product: 'eval-run', max_prompt_tokens: 8_000, target };
  const { body: redeemed } = await hub.fetch('/v1/redemptions', { token, json });
  const runId: string = redeemed.eval_job.id;
  const runner = createTestRunner(hub.ctx, hub.redisUrl);
  await pushRun(runner, { runId, jobId: (await jobRowOf(hub.ctx, runId)).id });
  runner.close();
  return (await hub.fetch(`/v1/eval-jobs/${runId}`, { token })).body.eval_job;
}
