/**
 * Full text search with FTS5 on SQLite and `tsvector` on Postgres. Both return the same matches. Every word
 * must match; a word of three characters or more also matches longer words that start with it.
 */
import { and, type AnyColumn, desc, eq, type SQL, sql } from 'drizzle-orm';
import { normalizeText } from '#runtime/normalize-text.ts';
import { inList } from './conditions.ts';
import type { Database, Transaction } from './database.ts';
import type { SearchSubject } from './schema/search-tables.ts';

/** Begins each stored word, so that a search in the index that all kinds share reads the words of one kind only. */
const letters: Readonly<Record<SearchSubject, string>> = {
  agents: 'a',
  cards: 'c',
  threads: 't',
  skills: 's',
  suites: 'u',
};

/** In code points, without the letter. Shorter words only match whole words, because too many words start with them. */
const prefixLengthMin = 3;

/**
 * SQLite collects and sorts at most this many matches. With more, a scan of the list in its own order soon
 * fills a page: every hundredth row of a million matches.
 */
const sortedMatchesMax = 10_000;

/**
 * Postgres checks this many of the newest rows. A word in `commonMatchesMin` of them is common enough to scan
 * the list.
 */
const newestRowsChecked = 400;
const commonMatchesMin = 4;

/** Replaces the words that the subject is found by with those of `texts`. */
export async function saveSearchWords(
  tx: Transaction,
  subject: SearchSubject,
  subjectId: string,
  texts: readonly string[],
): Promise<void> {
  const { searchWords } = tx.tables;
  const words = wordsOfKind(subject, texts).join(' ');
  if (words === '') return deleteSearchWords(tx, subject, [subjectId]);
  await tx.query
    .insert(searchWords)
    .values({ kind: subject, subjectId, words })
    .onConflictDoUpdate({
      target: [searchWords.kind, searchWords.subjectId],
      set: { words: sql`excluded.words` },
    });
}

/** No search finds these subjects any more. */
export async function deleteSearchWords(
  tx: Transaction,
  subject: SearchSubject,
  subjectIds: readonly string[],
): Promise<void> {
  const { searchWords } = tx.tables;
  const isOfThese = and(eq(searchWords.kind, subject), inList(tx, searchWords.subjectId, subjectIds));
  await tx.query.delete(searchWords).where(isOfThese);
}

/**
 * The condition that a subject matches `asked`. A text without words matches nothing.
 * @param id the column of the list that holds the subject's id
 */
export async function matchesSearch(
  db: Database,
  subject: SearchSubject,
  id: AnyColumn,
  asked: string,
): Promise<SQL> {
  const words = wordsOfKind(subject, [asked]);
  if (words.length === 0) return sql`1 = 0`;
  switch (db.dialect) {
    case 'postgres':
      return matchesOnPostgres(db, subject, id, words);
    case 'sqlite':
      return matchesOnSqlite(db, subject, id, words);
  }
}

/**
 * Postgres estimates that an unknown prefix matches one row in two hundred, and would scan a whole list for a
 * rare one. So a look at the newest rows decides whether the word is common. If not, the query reads the
 * index first, and once.
 */
async function matchesOnPostgres(
  db: Database,
  subject: SearchSubject,
  id: AnyColumn,
  words: readonly string[],
): Promise<SQL> {
  const { searchWords } = db.tables;
  // The left side repeats the index expression. Words are letters and digits, so quoting them is safe.
  const isFound = (of: SQL): SQL =>
    sql`array_to_tsvector(string_to_array(${of}, ' ')) @@ ${postgresQuery(words)}::text::tsquery`;
  const newest = db.query
    .select({ words: searchWords.words })
    .from(searchWords)
    .where(eq(searchWords.kind, subject))
    .orderBy(desc(searchWords.subjectId))
    .limit(newestRowsChecked)
    .as('newest');
  const common = await db.query
    .select({ one: sql`1` })
    .from(newest)
    .where(isFound(sql`${newest.words}`))
    .limit(1)
    .offset(commonMatchesMin - 1);
  const found = sql`select ${searchWords.subjectId} from ${searchWords} where ${isFound(sql`${searchWords.words}`)}`;
  // A scan of the list finds the words of each row by the unique index.
  const ofKind = sql`${id} in (${found} and ${searchWords.kind} = ${subject})`;
  return common.length > 0 ? ofKind : sql`${id} = any(array(${found}))`;
}

async function matchesOnSqlite(
  db: Database,
  subject: SearchSubject,
  id: AnyColumn,
  words: readonly string[],
): Promise<SQL> {
  const { searchWords } = db.tables;
  const areMore = async (query: string): Promise<boolean> => {
    const beyond = await db.query
      .select({ row: sql<number>`rowid` })
      .from(sql`search_words_index`)
      .where(sql`search_words_index match ${query}`)
      .limit(1)
      .offset(sortedMatchesMax);
    return beyond.length > 0;
  };
  // The index returns matches of whole words one by one, but collects those of a prefix first. For a word in
  // nearly every row the first check is immediate, and the second would read every row.
  const isCommon = (await areMore(fts5Query(words, false))) || (await areMore(fts5Query(words, true)));
  if (!isCommon) {
    const matches = sql`select rowid from search_words_index where search_words_index match ${fts5Query(words, true)}`;
    return sql`${id} in (select subject_id from ${searchWords} where "row" in (${matches}))`;
  }
  const parts = words.map((word) =>
    isPrefix(word)
      ? sql`instr(' ' || found.words, ${` ${word}`}) > 0`
      : sql`instr(' ' || found.words || ' ', ${` ${word} `}) > 0`,
  );
  return sql`exists (select 1 from ${searchWords} found where found.kind = ${subject} and found.subject_id = ${id} and ${sql.join(parts, sql` and `)})`;
}

/** A skill on a card is one word, which only matches as a whole. */
function isPrefix(word: string): boolean {
  return !word.startsWith(letters.cards) && Array.from(word).length > prefixLengthMin;
}

function postgresQuery(words: readonly string[]): string {
  return words.map((word) => `'${word}'${isPrefix(word) ? ':*' : ''}`).join(' & ');
}

/** @param longer also matches longer words that start with these */
function fts5Query(words: readonly string[], longer: boolean): string {
  return words.map((word) => `"${word}"${longer && isPrefix(word) ? '*' : ''}`).join(' AND ');
}

/** In code points. Longer words are cut, both when stored and when searched for: Postgres takes 2 KB at most. */
const wordLengthMax = 64;

function wordsOfKind(subject: SearchSubject, texts: readonly string[]): readonly string[] {
  return searchWordsOf(texts).map((word) => `${letters[subject]}${word}`);
}

/**
 * The words of some texts, each once: letters and digits, without case, accents or typographic variants. The hub splits
 * texts into words itself, because the stores do it differently and a search must have the same matches on both.
 */
export function searchWordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []);
  return [...new Set(words.map((word) => Array.from(word).slice(0, wordLengthMax).join('')))];
}

function fold(text: string): string {
  return normalizeText(normalizeText(text, 'NFKD').toLowerCase(), 'NFKD').replaceAll(/\p{M}+/gu, '');
}
