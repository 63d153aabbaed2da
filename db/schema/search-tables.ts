/**
 * The words that make agents, threads, skills and suites searchable. Each table has a full text index
 * (`searchIndexStatements`): FTS5 with triggers on SQLite, GIN on Postgres. See `db/search.ts`.
 */
import type { AgentsTable } from './agent-tables.ts';
import type { Dialect } from '../dialect.ts';
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

const wordsTables = ['agent_words', 'skill_words', 'suite_words', 'thread_words'] as const;

/**
 * The statements that make the full text indexes, and on SQLite the triggers that keep them up to date. drizzle-kit
 * cannot generate these, so `npm run db:generate` adds them to the baseline.
 */
export function searchIndexStatements(dialect: Dialect): readonly string[] {
  return wordsTables.flatMap((table) => {
    switch (dialect) {
      case 'sqlite':
        return sqliteIndex(table);
      case 'postgres':
        return [
          `CREATE INDEX "${table}_index" ON "${table}" USING gin (array_to_tsvector(string_to_array("words", ' ')));`,
        ];
    }
  });
}

/** With `secure-delete`, deleted words leave the index in the same statement. Without it, they stay until a merge. */
function sqliteIndex(table: string): readonly string[] {
  const index = `\`${table}_index\``;
  const add = `INSERT INTO ${index}(rowid, words) VALUES (new.row, new.words);`;
  const remove = `INSERT INTO ${index}(${index}, rowid, words) VALUES ('delete', old.row, old.words);`;
  const trigger = (name: string, event: string, ...steps: readonly string[]): string =>
    `CREATE TRIGGER \`${table}_${name}\` AFTER ${event} ON \`${table}\` BEGIN\n\t${steps.join('\n\t')}\nEND;`;
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5(words, content='${table}', content_rowid='row', tokenize='ascii', detail='none', prefix='3 4 5');`,
    `INSERT INTO ${index}(${index}, rank) VALUES ('secure-delete', 1);`,
    trigger('added', 'INSERT', add),
    trigger('changed', 'UPDATE', remove, add),
    trigger('removed', 'DELETE', remove),
  ];
}
