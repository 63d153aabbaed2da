/** Opens the Postgres store on the server in `DATABASE_URL` that accepts writes. */
import { patientBounds, requestBounds } from './bounded-pool.ts';
import type { OpenDatabase } from './database.ts';
import { migratePostgres, openPostgres } from './postgres.ts';
import { requirePoolMode } from './pool-mode.ts';
import { findPrimary } from './postgres-hosts.ts';
import { requireSuitableDatabase } from './require-suitable.ts';

/** For the processes of a hub. */
export async function migrateAndOpenPrimary(url: string, name?: string): Promise<OpenDatabase> {
  const primary = await findUsablePrimary(url, name);
  await migratePostgres(primary);
  return openPostgres(url, requestBounds, primary);
}

/** For tools that run beside a hub, which must not migrate its store. */
export async function openPrimaryPatiently(url: string, name?: string): Promise<OpenDatabase> {
  const primary = await findUsablePrimary(url, name, true);
  return openPostgres(url, patientBounds, primary);
}

async function findUsablePrimary(url: string, name?: string, isSource = false): Promise<string> {
  const primary = await findPrimary(url);
  await requirePoolMode(primary);
  await requireSuitableDatabase(primary, name, isSource);
  return primary;
}
