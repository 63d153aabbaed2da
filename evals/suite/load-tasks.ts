import { ladderCategories } from './ladder/ladder.ts';
import { loadTaskFiles } from './load-task-files.ts';
import type { Category } from './task.ts';

/**
 * Loads and checks the categories of the ladder, in its order. Every process of the hub calls this at start, so a
 * mistake in a category stops the hub before a run is sold.
 *
 * @throws Error when a folder exports no well-formed category, or two kinds have one name
 */
export function loadTaskCategories(): readonly Category[] {
  const categories = loadTaskFiles().map(({ folder, module }) => categoryIn(folder, module));
  const kinds = new Set<string>();
  for (const { name } of categories.flatMap((category) => category.kinds)) {
    if (kinds.has(name)) throw new Error(`Two kinds of the suite are called ${name}.`);
    kinds.add(name);
  }
  return ladderCategories.flatMap(({ name }) => categories.filter((category) => category.name === name));
}

function categoryIn(folder: string, module: unknown): Category {
  const exported =
    typeof module === 'object' && module !== null && 'category' in module ? module.category : undefined;
  if (!isCategory(exported)) throw new Error(`tasks/${folder}/category.ts exports no valid \`category\`.`);
  if (exported.name !== folder) {
    throw new Error(`The eval category in tasks/${folder} is called ${exported.name}.`);
  }
  if (!ladderCategories.some(({ name }) => name === folder)) {
    throw new Error(`The ladder has no place for the eval category in tasks/${folder}.`);
  }
  return exported;
}

export function isCategory(value: unknown): value is Category {
  if (typeof value !== 'object' || value === null) return false;
  // Reading unknown fields is safe on any object, and each one is checked below.
  const { name, description, kinds } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    Array.isArray(kinds) &&
    kinds.length > 0 &&
    kinds.every(isKind)
  );
}

function isKind(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // Reading unknown fields is safe on any object, and each one is checked below.
  const { name, make } = value as Record<string, unknown>;
  return typeof name === 'string' && /^[a-z]+(?:-[a-z]+)*$/.test(name) && typeof make === 'function';
}
