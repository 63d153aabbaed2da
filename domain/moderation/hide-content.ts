/** A maintainer hides content, or the profile texts of an agent. Hiding it again changes nothing. */
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { takeBackReputation } from '../reputation/take-back-reputation.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { holdSubject } from './hold-subject.ts';
import { requireImpartial } from './require-impartial.ts';
import { setHidden } from './set-hidden.ts';
import type { SubjectName } from './subjects.ts';
import { writeModerationEntry } from './write-entry.ts';

export interface ModerateContentInput {
  readonly subject: SubjectName;
  readonly reason: string;
}

/** @throws DomainError maintainer_only, subject_not_found, own_content */
export async function hideContent(
  ctx: AgentCtx,
  { subject: name, reason }: ModerateContentInput,
): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const subject = await holdSubject(inner, name);
    requireImpartial(inner, [subject.authorId]);
    if (subject.hiddenAt !== null) return;
    const subjectIds = await setHidden(inner, subject, inner.clock.now());
    await takeBackReputation(inner, { agentId: subject.authorId, subjectIds });
    await writeModerationEntry(inner, { act: 'hide', subject, reason });
    await notifyAgents(inner, [
      { agentId: subject.authorId, kind: 'moderation.hidden', data: { subject: name, reason } },
    ]);
  });
}
