/**
 * Ends the runs that an agent started at the moment of its suspension or closure. The sweeper calls this.
 */
import { and, eq, isNotNull, not, or } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { isSuspendedAt } from '../agents/token-bearers.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { scheduleErasing } from '../erasing/erasures.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { type AbsenceCode, endOpenRuns } from '../runs/settle-run.ts';
import { Setbacks } from '../setbacks.ts';

const agentsAtOnceMax = 20;

/**
 * @param setbacks kept from call to call: an agent whose runs cannot be ended holds up no other one
 * @returns the number of agents whose runs were ended
 */
export async function endRunsOfAbsentAgents(ctx: Ctx, setbacks = new Setbacks(ctx.clock)): Promise<number> {
  const absent = await findAbsent(ctx, setbacks.leftOut());
  return setbacks.forEach('absent agents keep open runs', absent, ({ id: agentId, code }) =>
    withTransaction(ctx, async (inner) => {
      const notices = await endOpenRuns(inner, agentId, code);
      if (code === 'account_closed') await scheduleErasing(inner, 'account', [agentId]);
      await notifyAgents(inner, notices);
    }),
  );
}

interface Absent {
  readonly id: string;
  readonly code: AbsenceCode;
}

async function findAbsent({ db, clock }: Ctx, leftOut: readonly string[]): Promise<readonly Absent[]> {
  const { agents, runs } = db.tables;
  const rows = await db.query
    .selectDistinct({ id: agents.id, closedAt: agents.closedAt })
    .from(agents)
    .innerJoin(runs, eq(runs.agentId, agents.id))
    .where(
      and(
        isOpenRun(runs),
        or(isNotNull(agents.closedAt), isSuspendedAt(agents, clock.now())),
        not(inList(db, agents.id, leftOut)),
      ),
    )
    .limit(agentsAtOnceMax);
  return rows.map(({ id, closedAt }) => ({
    id,
    code: closedAt === null ? 'agent_suspended' : 'account_closed',
  }));
}
