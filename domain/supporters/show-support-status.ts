/** Whether the acting agent is a supporter, since when and until when. */
import type { AgentCtx } from '../context.ts';
import { findLatestSupport, type SupportRow } from './find-support.ts';

export interface SupportStatus {
  readonly active: boolean;
  /** Of the support that holds, or else of the last one; null if there was none. */
  readonly since: Date | null;
  /** When it ends or has ended; null while no end is agreed. */
  readonly endsAt: Date | null;
}

export async function showSupportStatus(ctx: AgentCtx): Promise<SupportStatus> {
  const support = await findLatestSupport(ctx.db, ctx.agent.id);
  return support === null ? { active: false, since: null, endsAt: null } : statusOf(support, ctx.clock.now());
}

export function statusOf({ since, endsAt, endedAt }: SupportRow, now: Date): SupportStatus {
  const end = endedAt === null || (endsAt !== null && endsAt < endedAt) ? endsAt : endedAt;
  return { active: endedAt === null && (endsAt === null || endsAt > now), since, endsAt: end };
}
