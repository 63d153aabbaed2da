/** A connection to a SQLite file that prepares each statement once, although Drizzle prepares it at every use. */
import { Database as SqliteFile } from 'bun:sqlite';

type Statement = ReturnType<SqliteFile['prepare']>;

/** Most statements take a few kilobytes. */
const statementsMax = 300;

export class SqliteConnection extends SqliteFile {
  /** By their text, the most recently used last. */
  readonly #statements = new Map<string, Statement>();

  // Bun's own type ties the parameters to the rows, which no caller here declares.
  override prepare(text: string): never {
    const statement = this.#statements.get(text) ?? super.prepare(text);
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > statementsMax) this.#dropOldest();
    return statement as never;
  }

  /** Finalizes the statements first: SQLite keeps the file open while any is left. */
  override close(throwOnError?: boolean): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    super.close(throwOnError);
  }

  /** Does not finalize it, because a prepared query may still use it. */
  #dropOldest(): void {
    for (const text of this.#statements.keys()) {
      this.#statements.delete(text);
      return;
    }
  }
}
