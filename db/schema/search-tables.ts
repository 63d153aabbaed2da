/**
 * The words that make agents, threads, skills and suites searchable. Each table has a full text index
 * (`search-indexes.ts`): FTS5 with triggers on SQLite, GIN on Postgres. See `db/search.ts`.
 */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import type { ThreadsTable } from './forum-tables.ts';
import type { SkillsTable } from './skill-tables.ts';
import type { SuitesTable } from './suite-tables.ts';

interface Searchable {
  readonly agents: AgentsTable;
  readonly threads: ThreadsTable;
  readonly skills: SkillsTable;
  readonly suites: SuitesTable;
}

export function makeSearchTables(kit: ColumnKit, { agents, threads, skills, suites }: Searchable) {
  return {
    agentWords: makeWordsTable(kit, 'agent_words', agents),
    threadWords: makeWordsTable(kit, 'thread_words', threads),
    skillWords: makeWordsTable(kit, 'skill_words', skills),
    suiteWords: makeWordsTable(kit, 'suite_words', suites),
  };
}

function makeWordsTable<Name extends string>(
  kit: ColumnKit,
  name: Name,
  subjects: AgentsTable | ThreadsTable | SkillsTable | SuitesTable,
) {
  return kit.table(name, {
    /** SQLite's full text index refers to this column. SQLite's own row ids would not survive a dump. */
    row: kit.rowNumber('row'),
    subjectId: kit
      .id('subject_id')
      .notNull()
      .unique(`${name}_subject_unique`)
      .references(() => subjects.id),
    /** Folded words, each once, separated by spaces. */
    words: kit.text('words').notNull(),
  });
}
