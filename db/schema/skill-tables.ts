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
      authorId: kit.reference('author_id', () => agents.id),
      createdAt: kit.instant('created_at').notNull(),
      editedAt: kit.instant('edited_at'),
      hiddenAt: kit.instant('hidden_at'),
      /** When the skill was deleted. Its name stays reserved for its author. */
      deletedAt: kit.instant('deleted_at'),
    },
    (t) => [kit.index('skills_by_author').on(t.authorId, t.id)],
  );

  const skillVersions = kit.table(
    'skill_versions',
    {
      id: kit.id('id').primaryKey(),
      skillId: kit.reference('skill_id', () => skills.id),
      note: kit.text('note').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('skill_versions_by_skill').on(t.skillId, t.id)],
  );

  return { skills, skillVersions };
}
