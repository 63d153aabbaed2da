/**
 * What Drizzle does not do: the drivers beneath its query builders, and frequent statements, which are built and prepared
 * once, or sent as they are, and whose rows are read faster. A process loads only the driver of its own store, so this
 * file has types of both and code of neither.
 */
import type { SQL as Client } from 'bun';
import type { Database as SqliteConnection } from 'bun:sqlite';
import {
  Column,
  fillPlaceholders,
  getTableName,
  is,
  type Placeholder,
  sql,
  SQL,
  Subquery,
} from 'drizzle-orm';
import type { Database, QueryBuilder } from './database.ts';

const clients = new WeakMap<QueryBuilder, Client>();
const connections = new WeakMap<QueryBuilder, SqliteConnection>();

export function keepClient(query: QueryBuilder, client: Client): void {
  clients.set(query, client);
}

export function keepConnection(query: QueryBuilder, connection: SqliteConnection): void {
  connections.set(query, connection);
}

/** The connection behind the query builder. */
export function connectionOf(query: QueryBuilder): SqliteConnection {
  const connection = connections.get(query);
  if (connection === undefined) throw new Error('The query builder does not use SQLite.');
  return connection;
}

/** The Postgres client behind the query builder. */
export function clientOf(query: QueryBuilder): Client {
  const client = clients.get(query);
  if (client === undefined) throw new Error('The query builder does not use Postgres.');
  return client;
}

/**
 * Sends the statement before it returns. Only for Postgres.
 * @returns the rows as objects, by the names of the columns
 */
export function sendStatement(
  query: QueryBuilder,
  text: string,
  values: readonly unknown[],
): PromiseLike<readonly unknown[]> {
  const statement = clientOf(query).unsafe<unknown[]>(text, [...values]);
  return statement.execute();
}

/**
 * Builds and prepares a statement once per store handle.
 * @param prepare builds the statement, with placeholders for its values
 * @returns a function that prepares the statement of a handle on first use
 */
export function prepareOnce<Prepared>(prepare: (db: Database) => Prepared): (db: Database) => Prepared {
  // A transaction is a handle of its own, so its statements are dropped with it.
  const statements = new WeakMap<Database, Prepared>();
  return (db) => {
    const known = statements.get(db);
    if (known !== undefined) return known;
    const prepared = withRowReader(prepare(db));
    statements.set(db, prepared);
    return prepared;
  };
}

/** A prepared query of the query builder. */
interface Executable {
  getQuery(): { readonly sql: string; readonly params: unknown[] };
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

/**
 * Like `prepareOnce`, for statements in transactions, each of which has its own handle. On Postgres, one statement
 * serves all handles: building it takes 0.1 to 0.2 ms, longer than running it.
 * @param prepare returns a prepared query that selects rows
 */
export function prepareForTransactions<Prepared extends Executable>(
  prepare: (db: Database) => Prepared,
): (db: Database) => Pick<Prepared, 'execute'> {
  // All transactions of a SQLite store use one connection, where the statement stays prepared.
  const onSqlite = new WeakMap<QueryBuilder, Prepared>();
  let onPostgres: SelectText | undefined;
  return (db) => {
    switch (db.dialect) {
      case 'sqlite': {
        const prepared = onSqlite.get(db.query) ?? withRowReader(prepare(db));
        onSqlite.set(db.query, prepared);
        return prepared;
      }
      case 'postgres': {
        onPostgres ??= selectTextOf(prepare(db));
        const { text, params, read } = onPostgres;
        // The driver recognizes the text on every connection.
        const execute = async (values: Record<string, unknown> = {}) =>
          read(await clientOf(db.query).unsafe(text, fillPlaceholders(params, values)).values());
        return { execute }; // It returns the rows that the prepared query would return.
      }
    }
  };
}

interface SelectText {
  readonly text: string;
  readonly params: unknown[];
  readonly read: ReturnType<typeof rowsReaderOf>;
}

function selectTextOf(prepared: Executable): SelectText {
  const { sql: text, params } = prepared.getQuery();
  return { text, params, read: rowsReaderOf(prepared) };
}

/** Packs a whole list into one parameter. */
export function listParameter(values: readonly (string | readonly string[])[]): string {
  return JSON.stringify(values);
}

/** A query of the query builder that selects rows. */
interface Select<Row> {
  prepare(
    name: string,
  ): Pick<Executable, 'getQuery'> & { execute(values?: Record<string, unknown>): Promise<Row[]> };
}

/**
 * A query by a list, which is sent as one parameter, for transactions.
 * @param build must use the list and no other parameter
 * @returns a function that sends the statement before it returns, and none if the list is empty
 */
export function selectStatement<Row>(
  build: (db: Database, list: Placeholder) => Select<Row>,
): (db: Database, items: readonly (string | readonly string[])[]) => Promise<Row[]> {
  const prepared = prepareForTransactions((db) => build(db, sql.placeholder('list')).prepare('select_rows'));
  return async (db, items) =>
    items.length === 0 ? [] : prepared(db).execute({ list: listParameter(items) });
}

type Values = readonly unknown[];
type Row = Record<string, unknown>;
type Decode = (value: unknown) => unknown;

/** What a prepared statement of Drizzle holds to read its rows; statements without results have no fields. */
interface DrizzleStatement {
  readonly fields?: readonly SelectedField[];
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly Values[]) => readonly Row[];
}

interface SelectedField {
  /** Of the result: a name, or the name of an object and one in it. */
  readonly path: readonly string[];
  readonly field: unknown;
}

/**
 * Gives a prepared statement a reader for its rows. Drizzle finds out how to read again for every value of every row,
 * which takes longer than the rest of a small read. Leaves anything else, and a statement with a reader, as it is.
 */
export function withRowReader<Prepared>(prepared: Prepared): Prepared {
  const statement = prepared as DrizzleStatement;
  const { fields, customResultMapper } = statement;
  if (fields !== undefined && customResultMapper === undefined) {
    statement.customResultMapper = rowsReaderOf(statement);
  }
  return prepared;
}

/** @returns a function that turns the rows of a prepared statement into objects */
function rowsReaderOf(prepared: unknown): (rows: readonly Values[]) => readonly Row[] {
  const { fields = [], joinsNotNullableMap = {} } = prepared as DrizzleStatement;
  const read = rowReaderOf(fields, joinsNotNullableMap);
  return (rows) => rows.map(read);
}

function rowReaderOf(
  fields: readonly SelectedField[],
  isNeverNull: Readonly<Record<string, boolean>>,
): (values: Values) => Row {
  const setters = fields.map(({ path, field }, index) => setterOf(path, index, decoderOf(field)));
  const optional = findOptional(fields, isNeverNull);
  return (values) => {
    const row: Row = {};
    for (const set of setters) set(row, values);
    for (const { name, index } of optional) if (values[index] === null) row[name] = null;
    return row;
  };
}

function setterOf(
  path: readonly string[],
  index: number,
  decode: Decode,
): (row: Row, values: Values) => void {
  const [name = '', inner, ...deeper] = path;
  if (deeper.length > 0) throw new Error(`Rows are not nested deeper than one level: ${path.join('.')}`);
  const read = (values: Values): unknown => {
    const value = values[index];
    return value === null ? null : decode(value);
  };
  if (inner === undefined) {
    return (row, values) => {
      row[name] = read(values);
    };
  }
  return (row, values) => {
    const object = (row[name] ??= {}) as Row; // Only fields in it have this path.
    object[inner] = read(values);
  };
}

function decoderOf(field: unknown): Decode {
  const source = decoderSourceOf(field);
  return (value) => source.mapFromDriverValue(value);
}

function decoderSourceOf(field: unknown): { mapFromDriverValue(value: unknown): unknown } {
  if (is(field, Column)) return field;
  const expression = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : (field as SQL.Aliased).sql;
  // Drizzle declares it as internal.
  return (expression as unknown as { readonly decoder: { mapFromDriverValue(value: unknown): unknown } })
    .decoder;
}

/**
 * Finds the objects that are null if their table has no row in the join. As in Drizzle, that is so if all their columns
 * are of one table, and the first one is null.
 */
function findOptional(
  fields: readonly SelectedField[],
  isNeverNull: Readonly<Record<string, boolean>>,
): readonly { readonly name: string; readonly index: number }[] {
  const columns = fields.flatMap(({ path: [name = '', ...inner], field }, index) =>
    inner.length === 1 && is(field, Column) ? [{ name, index, table: getTableName(field.table) }] : [],
  );
  return [...Map.groupBy(columns, ({ name }) => name).values()].flatMap((own) => {
    const [first] = own;
    const isOptional = first !== undefined && isNeverNull[first.table] !== true;
    return isOptional && own.every(({ table }) => table === first.table) ? [first] : [];
  });
}
