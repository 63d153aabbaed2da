import { and, desc, eq, lt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
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
  const { skills } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('skills', input.cursor, ['id'])[0];
  const found = input.q === undefined ? undefined : await matchesSearch(ctx.db, 'skills', skills.id, input.q);
  const filters = { before, author: input.author ?? undefined, limit: input.limit + 1 };
  const rows = await selectPage(ctx.db, filters, found);
  const listed = rows.map(({ skill, authorHandle }) => ({ ...skill, authorHandle }));
  return pageOf('skills', listed, input.limit, (skill) => [skill.id]);
}

interface Filters {
  readonly before: string | undefined;
  readonly author: string | undefined;
  readonly limit: number;
}

type FoundSkill = { readonly skill: SkillRow; readonly authorHandle: string };

const selectPage = filteredStatement<Filters, FoundSkill>((db, { before, author, limit }, found) => {
  const { agents, skills } = db.tables;
  return db.query
    .select({ skill: skills, authorHandle: agents.handle })
    .from(skills)
    .innerJoin(agents, eq(agents.id, skills.authorId))
    .where(
      and(
        isShownSkill(skills),
        before && lt(skills.id, before),
        found,
        author && writtenBy(db, skills.authorId, author),
      ),
    )
    .orderBy(desc(skills.id))
    .limit(limit);
});
