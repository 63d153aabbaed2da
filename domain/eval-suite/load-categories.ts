import type { Category } from './category.ts';
import { checkSuite } from './check-suite.ts';
import { loadCategoryFiles } from './load-category-files.ts';

/**
 * Loads and checks the categories, in the order of a run. Every process of the hub calls it at start-up, so a mistake in
 * a category stops the hub before a run is sold.
 *
 * @throws Error when a folder exports no well-formed category, or the categories do not make up a suite
 */
export function loadCategories(): readonly Category[] {
  const files = loadCategoryFiles();
  const categories = files
    .map(({ folder, module }) => categoryIn(folder, module))
    .toSorted((left, right) => left.order - right.order);
  checkSuite(categories);
  return categories;
}

function categoryIn(folder: string, module: unknown): Category {
  const exported =
    typeof module === 'object' && module !== null && 'category' in module ? module.category : undefined;
  if (!isCategory(exported))
    throw new Error(`categories/${folder}/category.ts exports no valid \`category\`.`);
  if (exported.name !== folder) {
    throw new Error(`The eval category in categories/${folder} is called ${exported.name}.`);
  }
  return exported;
}

function isCategory(value: unknown): value is Category {
  if (typeof value !== 'object' || value === null) return false;
  // Reading unknown fields is safe on any object, and each one is checked below.
  const { name, description, order, weight, caseCount, graders, generate } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    /^[a-z]+$/.test(name) &&
    typeof description === 'string' &&
    Number.isInteger(order) &&
    isPositiveInteger(weight) &&
    isPositiveInteger(caseCount) &&
    Array.isArray(graders) &&
    typeof generate === 'function'
  );
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}
