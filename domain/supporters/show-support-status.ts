import type { AgentCtx } from '../context.ts';
import { findLatestSupport, type SupportRow } from './find-support.ts';

export interface SupportStatus {
  readonly active: boolean;
  /** Start of the active or, if there is none, the last support; null if there never was any. */
  readonly since: Date | null;
  /** When it ends or ended; null for no agreed end. */
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
