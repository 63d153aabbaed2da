/** Loads the categories: every file in `categories/` is one. */
import type { Category } from './category.ts';
import { loadCategoryFiles } from './load-category-files.ts';

/**
 * Loads each file of the folder.
 *
 * @throws when a file exports no well-formed category, or two share a name or a place.
 */
export async function loadCategories(): Promise<readonly Category[]> {
  const files = await loadCategoryFiles();
  const categories = files.map(({ file, module }) => categoryOf(file, module));
  for (const key of ['name', 'order'] as const) {
    const values = new Set(categories.map((category) => category[key]));
    if (values.size !== categories.length) throw new Error(`Two eval categories share the same ${key}.`);
  }
  return categories.toSorted((left, right) => left.order - right.order);
}

function categoryOf(file: string, module: unknown): Category {
  if (typeof module === 'object' && module !== null && 'category' in module && isCategory(module.category)) {
    return module.category;
  }
  throw new Error(`The eval category file ${file} exports no category.`);
}

function isCategory(value: unknown): value is Category {
  if (typeof value !== 'object' || value === null) return false;
  // Reading unknown fields is safe on any object; each one is checked before the value is taken for a Category.
  const { name, description, order, weight, caseCount, generate } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    /^[a-z]+$/.test(name) &&
    typeof description === 'string' &&
    typeof order === 'number' &&
    typeof weight === 'number' &&
    weight > 0 &&
    Number.isInteger(caseCount) &&
    Number(caseCount) > 0 &&
    typeof generate === 'function'
  );
}
