/**
 * Turns the values of a row into an object, for statements that run often. Drizzle finds out how to do so again for every
 * value of every row, which takes longer than the rest of a small read.
 */
import { Column, getTableName, is, SQL, Subquery } from 'drizzle-orm';

type Values = readonly unknown[];
type Row = Record<string, unknown>;
type Decode = (value: unknown) => unknown;

/** What a prepared statement of Drizzle holds to read its rows; statements without results have no fields. */
interface Statement {
  readonly fields?: readonly SelectedField[];
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly Values[]) => readonly Row[];
}

interface SelectedField {
  /** Of the result: a name, or the name of an object and one in it. */
  readonly path: readonly string[];
  readonly field: unknown;
}

/** Gives a prepared statement a reader for its rows. Leaves anything else, and a statement with a reader, as it is. */
export function withRowReader<Prepared>(prepared: Prepared): Prepared {
  const statement = prepared as Statement;
  const { fields, customResultMapper } = statement;
  if (fields !== undefined && customResultMapper === undefined) {
    statement.customResultMapper = rowsReaderOf(statement);
  }
  return prepared;
}

/** @returns a function that turns the rows of a prepared statement into objects */
export function rowsReaderOf(prepared: unknown): (rows: readonly Values[]) => readonly Row[] {
  const { fields = [], joinsNotNullableMap = {} } = prepared as Statement;
  const read = readerOf(fields, joinsNotNullableMap);
  return (rows) => rows.map(read);
}

function readerOf(
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
