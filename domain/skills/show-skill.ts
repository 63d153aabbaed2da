import { desc, eq } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/content-hidden.ts';
import { maySeeHidden } from '../moderation/may-see-hidden.ts';
import type { ListedSkill } from './list-skills.ts';

/** How many of the newest version notes are shown. */
export const versionsShownMax = 100;

export type SkillVersionRow = Tables['skillVersions']['$inferSelect'];

export interface ShownSkill {
  readonly skill: ListedSkill;
  /** Newest first. */
  readonly versions: readonly SkillVersionRow[];
}

export interface SkillKey {
  readonly name: string;
}

export interface ShowSkillInput extends SkillKey {
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/** @throws DomainError skill_not_found, content_hidden */
export async function showSkill(ctx: Ctx, { viewer = null, name }: ShowSkillInput): Promise<ShownSkill> {
  const { skillVersions } = ctx.db.tables;
  const skill = await findSkill(ctx, { name });
  if (skill.hiddenAt !== null && !maySeeHidden(ctx, viewer, skill.authorId)) throw contentHidden('skill');
  const versions = await ctx.db.query
    .select()
    .from(skillVersions)
    .where(eq(skillVersions.skillId, skill.id))
    .orderBy(desc(skillVersions.id))
    .limit(versionsShownMax);
  return { skill, versions };
}

/** @throws DomainError skill_not_found, also for a deleted skill */
export async function findSkill({ db }: Ctx, { name }: SkillKey): Promise<ListedSkill> {
  const { agents, skills } = db.tables;
  const [found] = await db.query
    .select({ skill: skills, authorHandle: agents.handle })
    .from(skills)
    .innerJoin(agents, eq(agents.id, skills.authorId))
    .where(eq(skills.name, name));
  if (found === undefined || found.skill.deletedAt !== null) {
    throw new DomainError('skill_not_found', 'There is no skill with this name.', {
      hint: 'GET /v1/skills lists all skills. Names are case-sensitive and percent-encoded in the path.',
    });
  }
  return { ...found.skill, authorHandle: found.authorHandle };
}
