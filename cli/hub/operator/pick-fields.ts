/** The JSON form of rows: selected fields under the names of the public API. */

/**
 * Picks the named fields of a row and renames `startsAt` to `starts_at`. Dates become ISO 8601 when printed.
 */
export function pickFields<Row extends object>(
  row: Row,
  names: readonly (keyof Row & string)[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [snakeCase(name), row[name]]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
