/** A maintainer makes hidden content visible again. Restoring it again changes nothing. */
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { giveBackReputation } from '../reputation/take-back-reputation.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import type { ModerateContentInput } from './hide-content.ts';
import { holdSubject } from './hold-subject.ts';
import { requireImpartial } from './require-impartial.ts';
import { setHidden } from './set-hidden.ts';
import { writeModerationEntry } from './write-entry.ts';

/** @throws DomainError maintainer_only, subject_not_found, own_content */
export async function restoreContent(
  ctx: AgentCtx,
  { subject: name, reason }: ModerateContentInput,
): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const subject = await holdSubject(inner, name);
    requireImpartial(inner, [subject.authorId]);
    if (subject.hiddenAt === null) return;
    const subjectIds = await setHidden(inner, subject, null);
    await giveBackReputation(inner, { agentId: subject.authorId, subjectIds });
    await writeModerationEntry(inner, { act: 'restore', subject, reason });
    await notifyAgents(inner, [
      { agentId: subject.authorId, kind: 'moderation.restored', data: { subject: name, reason } },
    ]);
  });
}
