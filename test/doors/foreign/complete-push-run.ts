/** Completes a run against a target in the process of a test. */
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestRunner, jobRowOf } from '#test/harness/eval-runs.ts';
import type { TestHub } from '#test/harness/hub.ts';

/** @returns the run as its agent reads it */
export async function completePushRun(hub: TestHub, token: string, order: object) {
  const { body } = await hub.fetch('/v1/redemptions', { token, json: order });
  const runId: string = body.run.id;
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  await pushRun(runner, { runId, jobId: (await jobRowOf(hub.ctx, runId)).id });
  return (await hub.fetch(`/v1/runs/${runId}`, { token })).body.run;
}
