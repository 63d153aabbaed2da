/**
 * Finds the categories: every folder in `categories/` is one. The compiled binary has no folder to read, so its build
 * replaces this file by a list (`cli/build/embed-categories.ts`).
 */
import { readdirSync } from 'node:fs';

export interface CategoryFile {
  readonly folder: string;
  /** Not checked yet. */
  readonly module: unknown;
}

const parent = new URL('./categories/', import.meta.url);

export function loadCategoryFiles(): Promise<readonly CategoryFile[]> {
  const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Promise.all(
    folders.map(async ({ name }) => ({
      folder: name,
      module: (await import(new URL(`${name}/category.ts`, parent).href)) as unknown,
    })),
  );
}
