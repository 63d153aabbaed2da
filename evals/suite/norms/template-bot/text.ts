/** Helpers for reading text that several categories share. */

export type Message = { role: 'user' | 'assistant'; content: string };
export type Messages = readonly Message[];

export const userTexts = (messages: Messages): string[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content);

export const capitals = (text: string): string[] =>
  [...text.matchAll(/\b[A-Z][a-z]{2,}\b/g)].map(([word]) => word);

export const count = <T>(items: Iterable<T>): Map<T, number> => {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};

export const mostFrequent = <T>(items: Iterable<T>): T | undefined =>
  [...count(items)].toSorted(([, a], [, b]) => b - a)[0]?.[0];

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
