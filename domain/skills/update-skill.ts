/** An author changes the description and links of its skill, and may add a version note. */
import { eq } from 'drizzle-orm';
import { saveSearchWords } from '#db/search.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { findOwnSkill } from './find-own-skill.ts';
import { showSkill, type ShownSkill, type SkillKey } from './show-skill.ts';
import { checkSkillLinks } from './skill-links.ts';

/** Omitted fields stay unchanged. The name cannot change. */
export interface UpdateSkillInput extends SkillKey {
  readonly description?: string | undefined;
  readonly repoUrl?: string | undefined;
  /** Null removes it. */
  readonly manifestUrl?: string | null | undefined;
  readonly versionNote?: string | undefined;
}

/** Bounds the number of notes of a skill. */
export const versionsPerSkillMax = 1_000;

/** @throws DomainError skill_not_found, not_author, invalid_body for a bad URL or too many notes */
export async function updateSkill(ctx: AgentCtx, input: UpdateSkillInput): Promise<ShownSkill> {
  return withTransaction(ctx, async (inner) => {
    const { skills, skillVersions } = inner.db.tables;
    const skill = await findOwnSkill(inner, input);
    const links = checkSkillLinks({
      repoUrl: input.repoUrl ?? skill.repoUrl,
      manifestUrl: input.manifestUrl === undefined ? skill.manifestUrl : input.manifestUrl,
    });
    const description = input.description ?? skill.description;
    await inner.db.query
      .update(skills)
      .set({ description, ...links, editedAt: inner.clock.now() })
      .where(eq(skills.id, skill.id));
    await saveSearchWords(inner.db, 'skills', skill.id, [skill.name, description]);
    if (input.versionNote !== undefined) {
      const now = inner.clock.now();
      const noted = await inner.db.query.$count(skillVersions, eq(skillVersions.skillId, skill.id));
      if (noted >= versionsPerSkillMax) throw tooManyNotes();
      await inner.db.query
        .insert(skillVersions)
        .values({ id: createId(now), skillId: skill.id, note: input.versionNote, createdAt: now });
    }
    return showSkill(inner, { name: input.name, viewer: ctx.agent });
  });
}

function tooManyNotes(): DomainError {
  return new DomainError(
    'invalid_body',
    `\`version_note\`: this skill already has ${versionsPerSkillMax} notes, which is the limit.`,
    { hint: 'Omit `version_note`, and keep the history in the repository.' },
  );
}
