/** The form of rows in JSON: the fields that are named, under the names of the public interface. */

/** Takes the named fields of a row, `startsAt` as `starts_at`; instants become ISO 8601 when they are printed. */
export function pickFields<Row extends object>(
  row: Row,
  names: readonly (keyof Row & string)[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [snakeCase(name), row[name]]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
