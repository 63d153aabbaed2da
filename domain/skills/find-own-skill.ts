import { eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { notAuthor } from '../forum/forum-errors.ts';
import type { ListedSkill } from './list-skills.ts';
import { findSkill, type SkillKey } from './show-skill.ts';

/**
 * Finds one of the acting agent's skills and locks its row.
 * @throws DomainError skill_not_found, not_author
 */
export async function findOwnSkill(ctx: AgentCtx & TransactionCtx, key: SkillKey): Promise<ListedSkill> {
  const { skills } = ctx.db.tables;
  await lockRows(
    ctx.db,
    ctx.db.query.select({ id: skills.id }).from(skills).where(eq(skills.name, key.name)),
  );
  const skill = await findSkill(ctx, key);
  if (skill.authorId !== ctx.agent.id) throw notAuthor('skill');
  return skill;
}
