/**
 * A frequent query with optional conditions. The statement for each combination of conditions is built once, because
 * building it takes longer than running it.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { prepareOnce } from './prepared.ts';

type Given<Values> = {
  readonly [Name in keyof Values]-?: Placeholder | (undefined extends Values[Name] ? undefined : never);
};

interface Prepared<Row> {
  execute(values: Record<string, unknown>): Promise<Row[]>;
}

/**
 * @param build makes the query with a placeholder for each value that is given. A column does not convert a bare
 *   placeholder, so a date is written as `sql.param(given.now, column)`.
 * @returns a function that runs the query. Its last argument is a condition that varies, such as a search; a query with
 *   one is built at each call.
 */
export function filteredStatement<Values extends object, Row>(
  build: (db: Database, given: Given<Values>, found?: SQL) => { prepare(name: string): Prepared<Row> },
): (db: Database, values: Values, found?: SQL) => Promise<Row[]> {
  const statementsOf = prepareOnce(() => new Map<string, Prepared<Row>>());
  return (db, values, found) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const names = given.map(([name]) => name);
    const statements = statementsOf(db);
    const shape = names.join(' ');
    let statement = found === undefined ? statements.get(shape) : undefined;
    if (statement === undefined) {
      const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
      // The names are those of the values that are given.
      statement = build(db, placeholders as Given<Values>, found).prepare('filtered');
      if (found === undefined) statements.set(shape, statement);
    }
    return statement.execute(Object.fromEntries(given));
  };
}
