/**
 * Full text search: FTS5 on SQLite, `tsvector` on Postgres, with the same finds on both. All words must be there; one of
 * three characters or more also finds longer words that begin with it.
 */
import { type AnyColumn, getTableName, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from './database.ts';
import { searchWordsOf } from './search-words.ts';

/** What can be searched. */
export type SearchSubject = 'agents' | 'threads' | 'skills';

/** In code points: shorter words are only found whole, as too many words begin like them. */
const prefixLengthMin = 3;

/**
 * Up to so many finds SQLite collects them and puts them in order. Of more, every hundredth row of a million is one, so
 * that walking through the list in its own order comes upon a page of them soon.
 */
const collectedFindsMax = 10_000;

function wordsTableOf({ tables }: Database, subject: SearchSubject) {
  switch (subject) {
    case 'agents':
      return tables.agentWords;
    case 'threads':
      return tables.threadWords;
    case 'skills':
      return tables.skillWords;
  }
}

/** Makes a subject be found by the words of these texts, and by no others from now on. */
export async function saveSearchWords(
  tx: Transaction,
  subject: SearchSubject,
  subjectId: string,
  texts: readonly string[],
): Promise<void> {
  const table = wordsTableOf(tx, subject);
  await tx.query
    .insert(table)
    .values({ subjectId, words: searchWordsOf(texts).join(' ') })
    .onConflictDoUpdate({ target: table.subjectId, set: { words: sql`excluded.words` } });
}

/**
 * The condition that a subject is found by what is asked for. What holds no word at all finds nothing.
 * @param id the column of the list that holds the subject's id
 */
export async function matchesSearch(
  db: Database,
  subject: SearchSubject,
  id: AnyColumn,
  asked: string,
): Promise<SQL> {
  const words = searchWordsOf([asked]);
  if (words.length === 0) return sql`1 = 0`;
  const table = wordsTableOf(db, subject);
  switch (db.dialect) {
    case 'postgres':
      // The left side is the expression of the index. Words are letters and digits, so quoting them is safe.
      return sql`${id} in (select ${table.subjectId} from ${table}
        where array_to_tsvector(string_to_array(${table.words}, ' ')) @@ ${postgresQuery(words)}::text::tsquery)`;
    case 'sqlite':
      return matchesOnSqlite(db, table, id, words);
  }
}

type WordsTable = ReturnType<typeof wordsTableOf>;

async function matchesOnSqlite(
  db: Database,
  table: WordsTable,
  id: AnyColumn,
  words: readonly string[],
): Promise<SQL> {
  const index = sql.identifier(`${getTableName(table)}_index`);
  const finds = await db.query
    .select({ row: sql<number>`rowid` })
    .from(sql`${index}`)
    .where(sql`${index} match ${fts5Query(words)}`)
    .limit(collectedFindsMax + 1);
  if (finds.length <= collectedFindsMax) {
    // One parameter for all of them, and the index is asked once.
    const rows = JSON.stringify(finds.map(({ row }) => row));
    return sql`${id} in (select subject_id from ${table} where "row" in (select value from json_each(${rows})))`;
  }
  const parts = words.map((word) =>
    isPrefix(word)
      ? sql`instr(' ' || found.words, ${` ${word}`}) > 0`
      : sql`instr(' ' || found.words || ' ', ${` ${word} `}) > 0`,
  );
  return sql`exists (select 1 from ${table} found where found.subject_id = ${id} and ${sql.join(parts, sql` and `)})`;
}

function isPrefix(word: string): boolean {
  return Array.from(word).length >= prefixLengthMin;
}

function postgresQuery(words: readonly string[]): string {
  return words.map((word) => `'${word}'${isPrefix(word) ? ':*' : ''}`).join(' & ');
}

function fts5Query(words: readonly string[]): string {
  return words.map((word) => `"${word}"${isPrefix(word) ? '*' : ''}`).join(' AND ');
}
