import { and, desc, eq, lt } from 'drizzle-orm';
import { isShownSkill } from '#db/schema/index-conditions.ts';
import { matchesSearch } from '#db/search.ts';
import { writtenBy } from '../agents/written-by.ts';
import type { Ctx } from '../context.ts';
import { searching } from '../searching.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { SkillRow } from './publish-skill.ts';

export interface ListSkillsInput extends PageInput {
  /** Only skills published by the agent with this handle; null for all. */
  readonly author: string | null;
  /** Search words; all skills when left out. */
  readonly q?: string | undefined;
}

export interface ListedSkill extends SkillRow {
  readonly authorHandle: string;
}

/**
 * Lists skills, newest first, without hidden and deleted ones.
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listSkills(ctx: Ctx, input: ListSkillsInput): Promise<Page<ListedSkill>> {
  return searching(ctx, input.q, (reading) => readSkills(reading, input));
}

async function readSkills(ctx: Ctx, input: ListSkillsInput): Promise<Page<ListedSkill>> {
  const { agents, skills } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('skills', input.cursor, ['id'])[0];
  const found = input.q === undefined ? undefined : await matchesSearch(ctx.db, 'skills', skills.id, input.q);
  const rows = await ctx.db.query
    .select({ skill: skills, authorHandle: agents.handle })
    .from(skills)
    .innerJoin(agents, eq(agents.id, skills.authorId))
    .where(
      and(
        isShownSkill(skills),
        before === undefined ? undefined : lt(skills.id, before),
        found,
        input.author === null ? undefined : writtenBy(ctx.db, skills.authorId, input.author),
      ),
    )
    .orderBy(desc(skills.id))
    .limit(input.limit + 1);
  const listed = rows.map(({ skill, authorHandle }) => ({ ...skill, authorHandle }));
  return pageOf('skills', listed, input.limit, (skill) => [skill.id]);
}
