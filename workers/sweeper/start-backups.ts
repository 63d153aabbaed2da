/**
 * The round that makes scheduled backups. Each is copied and checked in a process of its own, which may take minutes, then passed to
 * BACKUP_COMMAND. Any number of sweepers make one backup at a time.
 */
import { hostname } from 'node:os';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/database.ts';
import { backupName, thinBackups } from '#domain/backups/backup-files.ts';
import {
  claimBackup,
  type EndedBackup,
  endBackup,
  holdBackup,
  leaveBackup,
} from '#domain/backups/claim-backup.ts';
import type { BackupMade, BackupTask } from '#domain/backups/backup-program.ts';
import type { Ctx } from '#domain/context.ts';
import type { BackupSettings } from '#runtime/settings/backup-settings.ts';
import { redactMessage } from '#runtime/tracing/log-redaction.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { childCommand, ChildProgram } from '#runtime/place/child-program.ts';
import { backupCommandMaxMs, runBackupCommand } from './backup-command.ts';
import { type Rounds, startRounds } from './rounds.ts';

export interface BackupDeps {
  readonly ctx: Ctx;
  readonly settings: BackupSettings;
  readonly store: DatabaseSetting;
  readonly version: string;
  /** The key that the hub generated; null if the operator keeps it elsewhere. */
  readonly readSecretKey: () => string | null;
  readonly logger: Logger;
}

/** A hub that was just started has better things to do. */
const firstAfterMs = 60_000;
const lookEveryMs = 30_000;
/** Pauses between rounds are rounded. */
const roundedByMs = 1_000;
const holdEveryMs = 30_000;
/** A large database takes minutes. */
const backupLimits = { cpuMs: 30 * 60_000, memoryMb: 2_048 } as const;
const ownerOnlyFolder = 0o700;

/** @returns null if backups are off */
export function startBackups(deps: BackupDeps): Rounds | null {
  const { everyMs } = deps.settings;
  if (everyMs === null) return null;
  const stopping = new AbortController();
  const round = createBackupRound(deps, everyMs, stopping.signal);
  const startedAt = performance.now();
  const waitMs = Math.min(everyMs, firstAfterMs) - roundedByMs;
  const rounds = startRounds({
    name: 'back up',
    everyMs: Math.min(everyMs, lookEveryMs),
    logger: deps.logger,
    work: async () => (performance.now() - startedAt < waitMs ? 0 : round()),
  });
  return {
    hurry: rounds.hurry,
    stop: () => {
      stopping.abort();
      return rounds.stop();
    },
  };
}

/**
 * @param stopping aborts when the process stops; the backup is then left to another
 * @returns the work of one round, which always returns 0
 */
export function createBackupRound(
  deps: BackupDeps,
  everyMs: number,
  stopping: AbortSignal,
): () => Promise<number> {
  const { ctx, settings, logger } = deps;
  let nextAt = new Date(0);
  return async () => {
    if (ctx.clock.now() < nextAt) return 0;
    const claimed = await claimBackup(ctx, { everyMs, machine: hostname() });
    if ('nextAt' in claimed) {
      nextAt = claimed.nextAt;
      return 0;
    }
    const { id } = claimed;
    const holding = setInterval(() => void holdBackup(ctx, { id }).catch(() => undefined), holdEveryMs);
    try {
      const ended = await makeBackup(deps, stopping);
      const { failure } = ended;
      // An interrupted backup has not failed. Even if its file is good, the next process makes another.
      if (stopping.aborted && failure !== null) {
        await leaveBackup(ctx, { id });
        return 0;
      }
      await endBackup(ctx, { id, ...ended });
      if (failure === null) logger.info({ file: ended.file, bytes: ended.bytes }, 'made a backup');
      else logger.error({ step: failure.step, reason: failure.message }, 'a scheduled backup failed');
      if (ended.file !== null)
        thinBackups(settings.folder, { keep: settings.keep, everyMs, now: ctx.clock.now() });
    } finally {
      clearInterval(holding);
    }
    return 0;
  };
}

async function makeBackup(deps: BackupDeps, stopping: AbortSignal): Promise<EndedBackup> {
  const { ctx, settings } = deps;
  const madeAt = ctx.clock.now();
  const file = join(settings.folder, backupName(madeAt));
  const made = await copyAndCheck(deps, file, madeAt, stopping);
  if (!made.ok) return { file: null, bytes: null, failure: made };
  const { command, commandVariables } = settings;
  const ending = AbortSignal.any([stopping, AbortSignal.timeout(backupCommandMaxMs)]);
  const message =
    command === null ? null : await runBackupCommand({ command, commandVariables }, file, ending);
  return { file, bytes: made.bytes, failure: message === null ? null : { step: 'command', message } };
}

async function copyAndCheck(
  { settings, store, version, readSecretKey }: BackupDeps,
  file: string,
  madeAt: Date,
  stopping: AbortSignal,
): Promise<BackupMade> {
  const child = new ChildProgram<BackupTask, BackupMade>({
    command: childCommand('backup'),
    // The connection to Postgres may depend on it.
    env: process.env,
  });
  const end = (): void => child.close();
  stopping.addEventListener('abort', end);
  try {
    mkdirSync(settings.folder, { recursive: true, mode: ownerOnlyFolder });
    const task = { store, file, madeAt, version, secretKey: readSecretKey() };
    return (await child.run(task, backupLimits)).result;
  } catch (error) {
    const message = error instanceof Error ? redactMessage(error) : String(error);
    return { ok: false, step: 'copy', message };
  } finally {
    stopping.removeEventListener('abort', end);
    child.close();
  }
}
