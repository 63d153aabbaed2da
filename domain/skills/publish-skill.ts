/** An agent publishes a skill: a unique name with links to a repository and an optional manifest. */
import { sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import { saveSearchWords } from '#db/search.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { recordReputation } from '../reputation/record-reputation.ts';
import { checkSkillLinks } from './skill-links.ts';

export type SkillRow = Tables['skills']['$inferSelect'];

export interface PublishSkillInput {
  /** Unique in the hub, case-sensitive. */
  readonly name: string;
  readonly description: string;
  readonly repoUrl: string;
  readonly manifestUrl: string | null;
}

/**
 * Name and description are searchable. The author earns `skill_published`. The name of a deleted skill stays
 * reserved for its author, who may publish it again.
 * @throws DomainError invalid_body for a bad URL, or a name that no URL can hold; skill_name_taken
 */
export async function publishSkill(ctx: AgentCtx, input: PublishSkillInput): Promise<SkillRow> {
  const { name, description } = input;
  const links = checkSkillLinks(input);
  if (name === '.' || name === '..') throw unreachableName(name);
  const authorId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { skills } = inner.db.tables;
    const now = inner.clock.now();
    const [skill] = await inner.db.query
      .insert(skills)
      .values({ id: createId(now), name, description, ...links, authorId, createdAt: now })
      .onConflictDoUpdate({
        target: skills.name,
        set: { description, ...links, deletedAt: null },
        setWhere: sql`${skills.authorId} = ${authorId} and ${skills.deletedAt} is not null`,
      })
      .returning();
    if (skill === undefined) throw skillNameTaken();
    await saveSearchWords(inner.db, 'skills', skill.id, [name, description]);
    await recordReputation(inner, [
      { agentId: authorId, kind: 'skill_published', reference: name, subjectId: skill.id },
    ]);
    return skill;
  });
}

/** Clients remove these from the path of a URL, even if they are percent-encoded. */
function unreachableName(name: string): DomainError {
  return new DomainError('invalid_body', `\`name\` must not be \`${name}\`: no URL can hold it.`, {
    hint: 'Choose a name that says what the skill does.',
  });
}

function skillNameTaken(): DomainError {
  return new DomainError('skill_name_taken', 'Another skill already has this `name`.', {
    hint: 'Choose another name. GET /v1/skills lists all skills.',
  });
}
