/**
 * Ends the runs that an agent started at the moment of its suspension or closure. The sweeper calls this.
 */
import { and, eq, or, isNotNull } from 'drizzle-orm';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { eraseRuns } from '../account/erase-content.ts';
import { isSuspendedAt } from '../agents/suspension.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { type AbsenceCode, endOpenRuns } from '../runs/settle-run.ts';

const agentsAtOnceMax = 20;

/** @returns the number of agents whose runs were ended */
export async function endRunsOfAbsentAgents(ctx: Ctx): Promise<number> {
  const absent = await findAbsent(ctx);
  for (const [agentId, code] of absent) {
    await withTransaction(ctx, async (inner) => {
      const notices = await endOpenRuns(inner, agentId, code);
      if (code === 'account_closed') await eraseRuns(inner, { agentId });
      await notifyAgents(inner, notices);
    });
  }
  return absent.length;
}

async function findAbsent({ db, clock }: Ctx): Promise<readonly (readonly [string, AbsenceCode])[]> {
  const { agents, runs } = db.tables;
  const rows = await db.query
    .selectDistinct({ id: agents.id, closedAt: agents.closedAt })
    .from(agents)
    .innerJoin(runs, eq(runs.agentId, agents.id))
    .where(and(isOpenRun(runs), or(isNotNull(agents.closedAt), isSuspendedAt(agents, clock.now()))))
    .limit(agentsAtOnceMax);
  return rows.map(({ id, closedAt }) => [id, closedAt === null ? 'agent_suspended' : 'account_closed']);
}
