/** Lists the moderation log, with every action of a maintainer, for maintainers. */
import { desc, eq, lt } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { nameSubjects } from './name-subjects.ts';
import type { SubjectName } from './subjects.ts';

export type ModerationEntryRow = Tables['moderationEntries']['$inferSelect'];

export interface ShownModerationEntry extends ModerationEntryRow {
  readonly actorHandle: string;
  readonly subject: SubjectName;
}

/**
 * Newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listModerationEntries(
  ctx: AgentCtx,
  input: PageInput,
): Promise<Page<ShownModerationEntry>> {
  requireMaintainer(ctx);
  const { agents, moderationEntries } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('moderation', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select({ entry: moderationEntries, actorHandle: agents.handle })
    .from(moderationEntries)
    .innerJoin(agents, eq(agents.id, moderationEntries.actorId))
    .where(before === undefined ? undefined : lt(moderationEntries.id, before))
    .orderBy(desc(moderationEntries.id))
    .limit(input.limit + 1);
  const named = await nameSubjects(
    ctx,
    rows.map(({ entry, actorHandle }) => ({ ...entry, actorHandle })),
  );
  return pageOf('moderation', named, input.limit, ({ id }) => [id]);
}
