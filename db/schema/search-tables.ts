/**
 * The words that make agents, the skills on their cards, threads, skills and suites searchable, with a full text index
 * (`searchIndexStatements`): FTS5 with triggers on SQLite, GIN on Postgres. See `db/search.ts`.
 */
import type { Dialect } from '../dialect.ts';
import type { ColumnKit } from './column-kit.ts';

/** What can be searched. `cards` are the skills on the A2A cards of agents. */
export type SearchSubject = 'agents' | 'cards' | 'threads' | 'skills' | 'suites';

export function makeSearchTables(kit: ColumnKit) {
  const searchWords = kit.table(
    'search_words',
    {
      /** SQLite's full text index refers to this column. SQLite's own row ids would not survive a dump. */
      row: kit.rowNumber('row'),
      kind: kit.text('kind').$type<SearchSubject>().notNull(),
      /** The id of the agent, thread, skill or suite. Without words there is no row. */
      subjectId: kit.id('subject_id').notNull(),
      /** Folded words, each once, after the letter of their kind, separated by spaces. */
      words: kit.text('words').notNull(),
    },
    (t) => [kit.uniqueIndex('search_words_subject_unique').on(t.kind, t.subjectId)],
  );
  return { searchWords };
}

/**
 * The statements that make the full text index, and on SQLite the triggers that keep it up to date. drizzle-kit cannot
 * generate these, so `npm run db:generate` adds them to the baseline. On SQLite with `secure-delete`, deleted words leave
 * the index in the same statement. Without it, they stay until a merge.
 */
export function searchIndexStatements(dialect: Dialect): readonly string[] {
  switch (dialect) {
    case 'sqlite':
      return [
        "CREATE VIRTUAL TABLE `search_words_index` USING fts5(words, content='search_words', content_rowid='row', tokenize='ascii', detail='none', prefix='4 5 6');",
        "INSERT INTO `search_words_index`(`search_words_index`, rank) VALUES ('secure-delete', 1);",
        trigger('added', 'INSERT', addWords),
        trigger('changed', 'UPDATE', removeWords, addWords),
        trigger('removed', 'DELETE', removeWords),
      ];
    case 'postgres':
      return [
        `CREATE INDEX "search_words_index" ON "search_words" USING gin (array_to_tsvector(string_to_array("words", ' ')));`,
      ];
  }
}

const addWords = 'INSERT INTO `search_words_index`(rowid, words) VALUES (new.row, new.words);';
const removeWords =
  "INSERT INTO `search_words_index`(`search_words_index`, rowid, words) VALUES ('delete', old.row, old.words);";

function trigger(name: string, event: string, ...steps: readonly string[]): string {
  return `CREATE TRIGGER \`search_words_${name}\` AFTER ${event} ON \`search_words\` BEGIN\n\t${steps.join('\n\t')}\nEND;`;
}
