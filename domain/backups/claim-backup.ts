/** Which process makes the next scheduled backup, and how the last ones ended. The rows outlive every process. */
import { and, desc, eq, isNotNull, isNull, lt, lte, sql, type SQLWrapper } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareOnce } from '#db/prepared.ts';
import { lockName } from '#db/transaction.ts';
import type { BackupStep } from '#db/schema/operation-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { clocksDifferMaxMs } from '#runtime/clock.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, withTransaction } from '../context.ts';

export type BackupRow = Tables['hubBackups']['$inferSelect'];

/** A process that has not reported for this long is dead. */
const heldForMs = 120_000;
/** After a copy that failed, for instance because the disk was full. */
const retryAfterMs = 15 * 60_000;
const keptForMs = 90 * 24 * 3_600_000;

export interface ClaimBackupInput {
  readonly everyMs: number;
  readonly machine: string;
}

/** The id of the backup that the caller makes now, or when to ask again. */
export type ClaimedBackup = { readonly id: string } | { readonly nextAt: Date };

/** Only one of any number of callers gets a backup that is due. */
export function claimBackup(ctx: Ctx, { everyMs, machine }: ClaimBackupInput): Promise<ClaimedBackup> {
  return withTransaction(ctx, async ({ db, clock }) => {
    await lockName(db, 'scheduled backup');
    const now = clock.now();
    const { hubBackups } = db.tables;
    const [last] = await newest(db, new Date(now.getTime() + everyMs));
    if (last !== undefined) {
      const nextAt = dueAfter(last, everyMs);
      if (nextAt > now) return { nextAt };
      if (last.endedAt === null) {
        await db.query
          .update(hubBackups)
          .set({ endedAt: now, failedStep: 'copy', failure: 'The process that was making it ended first.' })
          .where(eq(hubBackups.id, last.id));
      }
    }
    const id = createId(now);
    const heldUntil = new Date(now.getTime() + heldForMs);
    await db.query.insert(hubBackups).values({ id, startedAt: now, heldUntil, machine });
    await db.query.delete(hubBackups).where(lt(hubBackups.startedAt, new Date(now.getTime() - keptForMs)));
    return { id };
  });
}

function dueAfter({ startedAt, heldUntil, endedAt, failedStep }: BackupRow, everyMs: number): Date {
  if (endedAt === null) return heldUntil;
  const isMissing = failedStep === 'copy' || failedStep === 'check';
  return new Date(startedAt.getTime() + (isMissing ? Math.min(everyMs, retryAfterMs) : everyMs));
}

/** Reports that the backup is still being made. */
export async function holdBackup(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
  const { hubBackups } = ctx.db.tables;
  const heldUntil = new Date(ctx.clock.now().getTime() + heldForMs);
  await ctx.db.transaction((tx) =>
    tx.query
      .update(hubBackups)
      .set({ heldUntil })
      .where(and(eq(hubBackups.id, id), isNull(hubBackups.endedAt))),
  );
}

/** Leaves the backup to another process, because this one stops. */
export async function leaveBackup(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
  const { hubBackups } = ctx.db.tables;
  await ctx.db.transaction((tx) =>
    tx.query.delete(hubBackups).where(and(eq(hubBackups.id, id), isNull(hubBackups.endedAt))),
  );
}

export interface EndedBackup {
  /** Null if there is no file. */
  readonly file: string | null;
  readonly bytes: number | null;
  readonly failure: { readonly step: BackupStep; readonly message: string } | null;
}

export async function endBackup(
  ctx: Ctx,
  { id, ...ended }: EndedBackup & { readonly id: string },
): Promise<void> {
  const { file, bytes, failure } = ended;
  const { hubBackups } = ctx.db.tables;
  await ctx.db.transaction((tx) =>
    tx.query
      .update(hubBackups)
      .set({
        endedAt: ctx.clock.now(),
        file,
        bytes,
        failedStep: failure?.step ?? null,
        failure: failure?.message ?? null,
      })
      .where(eq(hubBackups.id, id)),
  );
}

export interface BackupState {
  /** The last one that has ended; null if there is none. */
  readonly last: BackupRow | null;
  /** The last one with a good file, wherever it could be passed on to. */
  readonly lastGood: BackupRow | null;
}

/** How the last backups ended. */
export async function readBackupState({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<BackupState> {
  const until = new Date(clock.now().getTime() + clocksDifferMaxMs);
  const [[last = null], [lastGood = null]] = await Promise.all([
    selectLast(db).execute({ until }),
    selectLastGood(db).execute({ until }),
  ]);
  return { last, lastGood };
}

const selectLast = prepareOnce((db) =>
  newest(db, givenUntil(db), isNotNull(db.tables.hubBackups.endedAt)).prepare('find_last_backup'),
);

const selectLastGood = prepareOnce((db) => {
  const { endedAt, file } = db.tables.hubBackups;
  return newest(db, givenUntil(db), isNotNull(endedAt), isNotNull(file)).prepare('find_last_good_backup');
});

function givenUntil({ tables: { hubBackups } }: Database) {
  return sql.param(sql.placeholder('until'), hubBackups.startedAt);
}

/**
 * Later ones are of a clock that was set back since. They must neither stop all backups nor cause one every round, and
 * hide no failure.
 */
function newest(
  { query, tables: { hubBackups } }: Database,
  until: Date | SQLWrapper,
  ...conditions: Parameters<typeof and>
) {
  return query
    .select()
    .from(hubBackups)
    .where(and(lte(hubBackups.startedAt, until), ...conditions))
    .orderBy(desc(hubBackups.startedAt))
    .limit(1);
}
