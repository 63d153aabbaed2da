/**
 * Finds the categories: every file in `categories/` is one. Adding a category is dropping a file there; nothing
 * else lists them.
 */
import { readdirSync } from 'node:fs';
import type { Category } from './category.ts';

const folder = new URL('./categories/', import.meta.url);

/**
 * Reads the folder and loads each file.
 *
 * @throws when a file exports no well-formed category, or two share a name or a place.
 */
export async function loadCategories(): Promise<readonly Category[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const categories = await Promise.all(files.map((file) => loadCategory(file)));
  for (const key of ['name', 'order'] as const) {
    const values = new Set(categories.map((category) => category[key]));
    if (values.size !== categories.length) throw new Error(`Two eval categories share the same ${key}.`);
  }
  return categories.toSorted((left, right) => left.order - right.order);
}

async function loadCategory(file: string): Promise<Category> {
  const module: unknown = await import(new URL(file, folder).href);
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
