/**
 * The statements that make the full text indexes on the tables of `search-tables.ts`, and on SQLite the triggers that
 * keep them up to date. drizzle-kit cannot generate these, so `npm run db:generate` adds them to the baseline.
 */
import type { Dialect } from '../dialect.ts';

const wordsTables = ['agent_words', 'skill_words', 'suite_words', 'thread_words'] as const;

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
