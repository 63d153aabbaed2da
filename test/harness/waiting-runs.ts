/** Pull runs whose agents can only wait, because another worker has leased every case of the first stage. */
import { type Ctx, withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { leaseMs } from '#domain/runs/pull/pull-run.ts';
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { firstStage } from '#domain/runs/products/eval-run.ts';
import { plainOrder } from './plain-order.ts';

/** Each run has as many rows. */
const runsAtOnce = 50;

/** @returns the id of the run of each agent, in order */
export async function startWaitingRuns(
  ctx: Ctx,
  agents: readonly { readonly id: string }[],
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < agents.length) {
    const some = agents.slice(ids.length, ids.length + runsAtOnce);
    ids.push(...(await startSome(ctx, some)));
  }
  return ids;
}

async function startSome(ctx: Ctx, agents: readonly { readonly id: string }[]): Promise<string[]> {
  const requests = agents.map(({ id }) => ({ agentId: id, order: plainOrder(null) }));
  const accepted = await acceptRedemptions(ctx, requests);
  const jobIds = accepted.map((one) => {
    if (one instanceof DomainError) throw one;
    return one.run.id;
  });
  const handedOutAt = ctx.clock.now();
  const lease = {
    worker: 'other',
    times: 1,
    handedOutAt,
    expiresAt: new Date(handedOutAt.getTime() + leaseMs),
  };
  const cases = Array.from({ length: firstStage }, (_, itemIndex) => itemIndex);
  const rows = jobIds.flatMap((jobId) =>
    cases.map((itemIndex) => ({ runId: jobId, itemIndex, ...lease, steps: [], latencyMs: 0 })),
  );
  await withTransaction(ctx, ({ db }) => db.query.insert(db.tables.runLeases).values(rows));
  return jobIds;
}
