/**
 * The words by which agents, threads and skills are found. A migration puts the store's own full text index over each of
 * these tables: FTS5 tables kept by triggers on SQLite, GIN indexes on Postgres. See `db/search.ts`.
 */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import type { ThreadsTable } from './forum-tables.ts';
import type { SkillsTable } from './skill-tables.ts';

export function makeSearchTables(
  kit: ColumnKit,
  agents: AgentsTable,
  threads: ThreadsTable,
  skills: SkillsTable,
) {
  return {
    agentWords: makeWordsTable(kit, 'agent_words', agents),
    threadWords: makeWordsTable(kit, 'thread_words', threads),
    skillWords: makeWordsTable(kit, 'skill_words', skills),
  };
}

function makeWordsTable<Name extends string>(
  kit: ColumnKit,
  name: Name,
  subjects: AgentsTable | ThreadsTable | SkillsTable,
) {
  return kit.table(name, {
    /** What the full text index of SQLite knows a row by; its own row ids would not outlive a dump. */
    row: kit.rowNumber('row'),
    subjectId: kit
      .id('subject_id')
      .notNull()
      .unique(`${name}_subject_unique`)
      .references(() => subjects.id),
    /** Folded, each once, with a blank between them. */
    words: kit.text('words').notNull(),
  });
}
