/**
 * Finds the files of the categories. Adding a category is dropping a file into `categories/`; nothing else lists them. The
 * compiled binary has no folder to read: its build puts a list in the place of this file (cli/build/embed-categories.ts).
 */
import { readdirSync } from 'node:fs';

export interface CategoryFile {
  readonly file: string;
  /** Whatever it exports. */
  readonly module: unknown;
}

const folder = new URL('./categories/', import.meta.url);

export function loadCategoryFiles(): Promise<readonly CategoryFile[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  return Promise.all(
    files.map(async (file) => ({ file, module: (await import(new URL(file, folder).href)) as unknown })),
  );
}
