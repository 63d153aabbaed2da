/** What the hub records about itself: its backups, how much was stored, and what is still to be erased. */
import type { ColumnKit } from './column-kit.ts';

/** `copy` wrote no file, `check` found a bad one, `command` could not pass a good one on. */
export const backupSteps = ['copy', 'check', 'command'] as const;
export type BackupStep = (typeof backupSteps)[number];

/** An account that was closed, a thread that was deleted, a run whose cases are not kept. */
export type ErasureKind = 'account' | 'thread' | 'run';

export function makeOperationTables(kit: ColumnKit) {
  /** One row per scheduled backup, also of those that failed. The files are what counts at a restore. */
  const hubBackups = kit.table(
    'hub_backups',
    {
      id: kit.id('id').primaryKey(),
      startedAt: kit.instant('started_at').notNull(),
      /** Until then the process that makes it need not report. */
      heldUntil: kit.instant('held_until').notNull(),
      /** Null while it is being made. */
      endedAt: kit.instant('ended_at'),
      /** The machine that has the file. */
      machine: kit.text('machine').notNull(),
      /** Null if there is no file. */
      file: kit.text('file'),
      bytes: kit.count('bytes'),
      /** The step that failed; null if none did. */
      failedStep: kit.text('failed_step').$type<BackupStep>(),
      failure: kit.text('failure'),
    },
    (t) => [kit.index('hub_backups_by_start').on(t.startedAt)],
  );

  /** What an agent or a network has stored within a day, so that nobody fills the disk. */
  const storedBytes = kit.table(
    'stored_bytes',
    {
      /** The id of an agent, or a network as in `agents`. */
      holder: kit.text('holder').notNull(),
      /** Days since 1970, in UTC. */
      day: kit.integer('day').notNull(),
      bytes: kit.count('bytes').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.holder, t.day] }), kit.index('stored_bytes_by_day').on(t.day)],
  );

  /** What was closed or deleted, and is erased part by part. Readers no longer see it. */
  const erasures = kit.table(
    'erasures',
    {
      kind: kit.text('kind').$type<ErasureKind>().notNull(),
      subjectId: kit.id('subject_id').notNull(),
      /** The name of one of the steps of its kind; null at the beginning. */
      step: kit.text('step'),
      /** The last row that the step has erased; null at its beginning. */
      after: kit.text('after'),
      /** How often all steps were completed. */
      passes: kit.integer('passes').notNull().default(0),
      dueAt: kit.instant('due_at').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.kind, t.subjectId] }), kit.index('erasures_due').on(t.dueAt)],
  );

  return { hubBackups, storedBytes, erasures };
}
