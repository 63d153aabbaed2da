/** A maintainer ends an agent's support. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { unknownHandle } from '../agents/handle-errors.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { closeSupport } from './close-support.ts';
import { findActiveSupport } from './find-support.ts';

export interface EndSupporterInput {
  readonly handle: string;
}

/** @throws DomainError maintainer_only, unknown_handle, supporter_not_found */
export async function endSupporter(ctx: AgentCtx, { handle }: EndSupporterInput): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    const [agent] = await lockRows(
      inner.db,
      inner.db.query
        .select({ id: agents.id })
        .from(agents)
        .where(and(eq(agents.handle, handle), isOpenAccount(agents))),
    );
    if (agent === undefined) throw unknownHandle(handle);
    const active = await findActiveSupport(inner.db, agent.id, inner.clock.now());
    if (active === null) {
      throw new DomainError('supporter_not_found', `\`${handle}\` is not a supporter.`, {
        hint: 'GET /v1/supporter/list lists the supporters.',
      });
    }
    await closeSupport(inner, { agentId: agent.id, onlyLapsed: false });
  });
}
