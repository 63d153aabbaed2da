export interface NamedScore {
  readonly name: string;
  readonly score: number;
}

/** The categories in the JSON of a scorecard, which every version of the suite has. */
export function categoriesOf(scoreJson: Readonly<Record<string, unknown>>): NamedScore[] {
  const { categories } = scoreJson;
  const listed: readonly unknown[] = Array.isArray(categories) ? categories : [];
  return listed.flatMap((value) => {
    if (typeof value !== 'object' || value === null) return [];
    const { name, score } = value as { readonly name?: unknown; readonly score?: unknown };
    return typeof name === 'string' && typeof score === 'number' ? [{ name, score }] : [];
  });
}
