/**
 * Finds the categories of the ladder: every folder in `tasks/` is one. The compiled binary has no folder to read, so
 * its build replaces this file with a list (`cli/build/contents.ts`).
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface TaskFile {
  readonly folder: string;
  /** Not checked yet. */
  readonly module: unknown;
}

const parent = new URL('./tasks/', import.meta.url);

/** Synchronous, because a top-level await here would reach every module that imports the suite. */
export function loadTaskFiles(): readonly TaskFile[] {
  const folders = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => ({
    folder: name,
    module: import.meta.require(fileURLToPath(new URL(`${name}/category.ts`, parent))) as unknown,
  }));
}
