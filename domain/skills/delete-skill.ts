/** An author deletes its own skill. The row stays, so that nobody else takes the name. */
import { type AgentCtx, withTransaction } from '../context.ts';
import { eraseSkills } from './erase-skills.ts';
import { findOwnSkill } from './find-own-skill.ts';
import type { SkillKey } from './show-skill.ts';

/** @throws DomainError skill_not_found, not_author */
export async function deleteSkill(ctx: AgentCtx, key: SkillKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { id } = await findOwnSkill(inner, key);
    await eraseSkills(inner, { authorId: ctx.agent.id, skillIds: [id] });
  });
}
