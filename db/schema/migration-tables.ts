/** What older versions must know before they use a store that a newer one has migrated. */
import type { ColumnKit } from './column-kit.ts';

export function makeMigrationTables(kit: ColumnKit) {
  /** A version must know all of these migrations to use the store. Migrations that remove something add rows. */
  const requiredMigrations = kit.table('required_migrations', {
    /** The migration's `when` in the journal of drizzle-kit, in ms. */
    time: kit.count('time').primaryKey(),
  });
  return { requiredMigrations };
}
