import { and, desc, eq, getTableColumns, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { isShownSkill } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { matchesSearch } from '#db/search.ts';
import { writtenBy } from '../agents/find-agent.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden, maySeeHidden } from '../moderation/hidden-content.ts';
import { type Page, pageById, type PageInput } from '../paging.ts';
import { searching } from '../searching.ts';
import { operation } from '../operation.ts';

export type SkillRow = Tables['skills']['$inferSelect'];

/** How many of the newest version notes are shown. */
export const versionsShownMax = 100;

type SkillVersionRow = Tables['skillVersions']['$inferSelect'];

export interface ShownSkill {
  readonly skill: ListedSkill;
  /** Newest first. */
  readonly versions: readonly SkillVersionRow[];
}

export interface SkillKey {
  readonly name: string;
}

interface ShowSkillInput extends SkillKey {
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/** @throws DomainError not_found, content_hidden */
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

/** @throws DomainError not_found, also for a deleted skill */
export async function findSkill({ db }: Ctx, { name }: SkillKey): Promise<ListedSkill> {
  const [found] = await selectSkills(db).where(eq(db.tables.skills.name, name));
  if (found === undefined || found.deletedAt !== null) {
    throw new DomainError('not_found', 'There is no skill with this name.', {
      hint: `${operation('listSkills')} lists all skills. Names are case-sensitive and percent-encoded in the path.`,
    });
  }
  return found;
}

interface ListSkillsInput extends PageInput {
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
  const found = input.q === undefined ? undefined : await matchesSearch(ctx.db, 'skills', skills.id, input.q);
  const author = input.author ?? undefined;
  return pageById('skills', input, (before, limit) => selectPage(ctx.db, { before, author, limit }, found));
}

interface Filters {
  readonly before: string | undefined;
  readonly author: string | undefined;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, ListedSkill>((db, { before, author, limit }, found) => {
  const { skills } = db.tables;
  return selectSkills(db)
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

/** A query for skills with the handles of their authors; the caller adds the conditions. */
function selectSkills({ query, tables: { agents, skills } }: Database) {
  return query
    .select({ ...getTableColumns(skills), authorHandle: agents.handle })
    .from(skills)
    .innerJoin(agents, eq(agents.id, skills.authorId));
}
