/** Where the migrations of a store lie, in the form of drizzle-kit: files of statements, and a journal that names them. */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import type { Dialect } from './database.ts';

export function migrationsFolder(dialect: Dialect): string {
  return join(projectFolder, 'db', 'migrations', dialect);
}
