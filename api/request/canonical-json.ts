/** One text for each JSON value, whatever order its fields were sent in, for telling whether two requests are the same. */

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, node: unknown) => (isRecord(node) ? sortFields(node) : node));
}

function isRecord(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Without a prototype, so that a field named `__proto__` is a field like any other. */
function sortFields(record: Record<string, unknown>): Record<string, unknown> {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(record).toSorted()) sorted[name] = record[name];
  return sorted;
}
