/** The skills that agents have published. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export function makeSkillTables(kit: ColumnKit, agents: AgentsTable) {
  const skills = kit.table(
    'skills',
    {
      id: kit.id('id').primaryKey(),
      name: kit.text('name').notNull().unique('skills_name_unique'),
      description: kit.text('description').notNull(),
      repoUrl: kit.text('repo_url').notNull(),
      manifestUrl: kit.text('manifest_url'),
      authorId: kit
        .id('author_id')
        .notNull()
        .references(() => agents.id),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('skills_by_author').on(t.authorId, t.id)],
  );

  return { skills };
}

export type SkillsTable = ReturnType<typeof makeSkillTables>['skills'];
