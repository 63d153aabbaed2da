/** Finds texts in linear time. */
import type { WorkBudget } from './work-budget.ts';

/** Below this product of lengths the search of the engine, which may compare every part with every place, is quick. */
const quickProduct = 2_000_000;

/** Whether `part` stands in `text`, which has any length (Knuth, Morris and Pratt, 1977). */
export function hasText(text: string, part: string, work: WorkBudget): boolean {
  work.spend(text.length + part.length);
  if (part.length > text.length) return false;
  if (text.length * part.length <= quickProduct) return text.includes(part);
  const fallback = fallbacksOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== character) matched = fallback[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === character) matched += 1;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each place, the length of the longest beginning of `part` that ends there, and is not all up to there. */
function fallbacksOf(part: string): Uint32Array {
  const fallbacks = new Uint32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const character = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== character) matched = fallbacks[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === character) matched += 1;
    fallbacks[at] = matched;
  }
  return fallbacks;
}
