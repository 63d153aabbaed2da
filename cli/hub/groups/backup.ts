/** `hub backup`, `hub restore`, `hub rehearse-restore`: a consistent copy of the hub's database, and its restoration. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { commandEnvironment } from '#cli/running-hub.ts';
import { openDatabase } from '#db/open-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { findBackupFile, latestBackupFile, listBackupFiles } from '#domain/backups/backup-files.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import type { Command } from 'commander';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { confirm, instant, WrongCommandLine, yesOption } from '../arguments.ts';
import { postgresBackupLines, postgresRestoreLines } from '../operator/backup/postgres-commands.ts';
import { restoreIntoPostgres } from '../operator/backup/restore-into-postgres.ts';
import { type RestoredHub, restoreHub } from '../operator/backup/restore-hub.ts';
import { backUpHub } from '../operator/backup/back-up-hub.ts';
import { onScratchCopy } from '../operator/backup/scratch-copy.ts';
import { databaseOf } from '../operator/open-operator.ts';
import type { Output } from '../output.ts';

export const addCommands: CommandGroup = (program, line) => {
  addBackup(program, line);
  addRestore(program, line);
  addRehearsal(program, line);
};

const backupHelp = `
The hub can keep running: the backup is a consistent snapshot. It is one file that only its owner can read. Besides the
database it contains the secret key in DATA_DIR/secret-key if the hub generated one; without that key the secrets of all
webhooks change.

Not included: a SECRET_KEY that you set yourself and all other settings, and mail in DATA_DIR/mail (written while
SMTP_URL is not set). DATA_DIR/redis needs no backup, because everything that matters is in the database.

On Postgres this command copies nothing. It prints the Postgres commands to run, and exits with 1.

Examples:
  hub backup /backups/hub-$(date +%F).sqlite
  DATA_DIR=/var/lib/hub hub backup hub.sqlite --json`;

function addBackup(program: Command, line: CommandLine): void {
  program
    .command('backup <file>')
    .description('Copy the database into a new file; the hub may be running')
    .addHelpText('after', backupHelp)
    .action((file: string) => {
      const output = line.output();
      const settings = parseSettings(commandEnvironment());
      const database = databaseOf(settings);
      if (database.kind === 'postgres') {
        const run = postgresBackupLines(database.url, file);
        const why =
          'This hub uses Postgres, whose own tools can copy it while it runs. Nothing was copied. Run:';
        showPostgresCommands(output, { backed_up: false }, run, why);
        return;
      }
      const { bytes, madeAt, secretKey } = backUpHub(settings, database.file, file);
      output.result({ backed_up: true, file, bytes, made_at: madeAt, secret_key: secretKey }, [
        `${file}: ${bytes} bytes, checked`,
        secretKey === 'included'
          ? 'It contains the secret key of the hub. Keep it where only you can read it.'
          : 'It does not contain SECRET_KEY. Back that up as well.',
      ]);
    });
}

/** What the operator has to run instead of this command. */
function showPostgresCommands(output: Output, result: object, run: readonly string[], why: string): void {
  output.result({ ...result, run }, [why, '', ...run]);
  endWith(false);
}

const restoreHelp = `
The command first checks that the backup is complete, belongs to a hub and is not from a newer version. It refuses to run
while a hub uses the database. The old database is kept beside the new one, and so is the old secret key if the backup has
a different one; the output names the files. Changes since the backup are lost, including tokens issued since then.

On Postgres a scheduled backup is restored into an empty database. For a file made by pg_dump this command restores
nothing: it prints the Postgres commands to run, and exits with 1.

\`--latest\` and \`--at\` choose among the scheduled backups in BACKUP_DIR.

Examples:
  hub restore --latest
  hub restore --at 2027-01-31T14:00:00Z
  hub restore /backups/hub-2027-01-31.sqlite
  DATA_DIR=/var/lib/hub hub restore hub.sqlite --yes && hub audit`;

function addRestore(program: Command, line: CommandLine): void {
  program
    .command('restore [file]')
    .description('Replace the database with a backup')
    .option('--latest', 'Restore the newest scheduled backup', false)
    .option('--at <time>', 'Restore the newest scheduled backup made by this time', instant)
    .option(...yesOption)
    .addHelpText('after', restoreHelp)
    .action(async (given: string | undefined, { yes, ...chosen }: ChosenBackup & { yes: boolean }) => {
      const output = line.output();
      const settings = parseSettings(commandEnvironment());
      const file = chooseBackup(settings, given, chosen);
      const database = databaseOf(settings);
      if (database.kind === 'sqlite') {
        const agree = (consequence: string) => confirm(consequence, yes);
        const restored = await restoreHub({ settings, store: database.file, file, agree });
        const { madeAt, isOlder } = restored;
        showRestored(output, restored, {
          result: { file, database: database.file, migrates_at_start: isOlder },
          done: `${database.file} now holds the backup of ${timeOf(madeAt)}`,
          next: isOlder
            ? 'It is from an older version. Run `hub migrate` and `hub audit`, then start the hub.'
            : 'Run `hub audit`, then start the hub.',
        });
      } else if (isSqliteFile(file)) {
        const restored = await restoreIntoPostgres({ settings, database, file, output });
        const { madeAt, rows } = restored;
        showRestored(output, restored, {
          result: { file, rows },
          done: `The database now holds the backup of ${timeOf(madeAt)}: ${rows} rows, verified and audited.`,
          next: 'Start the hub.',
        });
      } else {
        const run = postgresRestoreLines(database.url, file);
        const why =
          'This hub uses Postgres, whose own tools restore it. Nothing was restored. Stop the hub and run:';
        showPostgresCommands(output, { restored: false }, run, why);
      }
    });
}

function showRestored(
  output: Output,
  { madeAt, kept, secretKey }: Omit<RestoredHub, 'isOlder'>,
  { result, done, next }: { readonly result: object; readonly done: string; readonly next: string },
): void {
  output.result({ restored: true, ...result, made_at: madeAt, kept, secret_key: secretKey }, [
    done,
    ...kept.map((file) => `kept   ${file}`),
    ...secretKeyLines[secretKey],
    next,
  ]);
}

function timeOf(madeAt: Date | null): string {
  return madeAt?.toISOString() ?? 'an unknown time';
}

interface ChosenBackup {
  readonly latest: boolean;
  readonly at?: Date;
}

/** @throws WrongCommandLine unless one backup is named; HubRefusal when BACKUP_DIR has none */
function chooseBackup(
  { backups: { folder, everyMs } }: Settings,
  file: string | undefined,
  { latest, at }: ChosenBackup,
): string {
  if ([file !== undefined, latest, at !== undefined].filter(Boolean).length !== 1) {
    throw new WrongCommandLine('Name one backup: a file, --latest, or --at with a time.');
  }
  if (file !== undefined) return file;
  const found = at === undefined ? latestBackupFile(folder, new Date()) : findBackupFile(folder, at);
  if (found !== null) return found.file;
  const oldest = listBackupFiles(folder).at(-1);
  throw new HubRefusal(
    oldest === undefined
      ? [
          `There is no scheduled backup in ${folder}.`,
          everyMs === null
            ? 'BACKUP_EVERY is off: to make them, set it, for example to 6h, and restart the hub.'
            : 'A hub makes its first one within two minutes of its start.',
          'If the backups are elsewhere, set BACKUP_DIR to their folder, or name a file.',
        ].join(' ')
      : `No scheduled backup in ${folder} is that old. The oldest is of ${oldest.madeAt.toISOString()}.`,
  );
}

const rehearseHelp = `
Restores a backup into a scratch database beside it, upgrades that if the backup is from an older version, audits it
completely and deletes it. Nothing of the hub is touched, which may be running. Exits with 1 if the backup is damaged or
the audit finds drift, so that a timer can call it.

Examples:
  hub rehearse-restore
  hub rehearse-restore /backups/hub-2027-01-31.sqlite --json`;

function addRehearsal(program: Command, line: CommandLine): void {
  program
    .command('rehearse-restore [file]')
    .description('Try a restore: audit a copy of the newest scheduled backup')
    .addHelpText('after', rehearseHelp)
    .action(async (given: string | undefined) => {
      const settings = parseSettings(commandEnvironment());
      const file = chooseBackup(settings, given, { latest: given === undefined });
      const startedAt = performance.now();
      const { madeAt, isOlder, checks } = await rehearseRestore(file);
      const tookMs = Math.round(performance.now() - startedAt);
      const drifting = checks.filter(({ drifts }) => drifts.length > 0);
      line.output().result(
        {
          ok: drifting.length === 0,
          file,
          made_at: madeAt,
          migrated: isOlder,
          took_ms: tookMs,
          drifts: drifting.map(({ name, drifts }) => ({ name, drifts })),
        },
        [
          `${file} restores: the backup of ${timeOf(madeAt)}, in ${tookMs} ms`,
          ...drifting.map(({ name, promise }) => `DRIFT  ${name} ${promise}`),
          drifting.length === 0
            ? `${checks.length} checks of the audit hold.`
            : 'The audit found drift. Run `hub audit` on the hub itself to see whether it has it too.',
        ],
      );
      endWith(drifting.length === 0);
    });
}

/**
 * Restores a backup into a scratch database and audits it, to show that it could replace the hub's own.
 * @throws HubRefusal when the file is not a complete backup
 */
function rehearseRestore(file: string) {
  return onScratchCopy(file, 'cannot be restored', async (scratch, { notes, isOlder }) => {
    const db = await openDatabase({ kind: 'sqlite', file: scratch });
    try {
      return { madeAt: notes?.madeAt ?? null, isOlder, checks: await auditHub({ db }) };
    } finally {
      await db.close();
    }
  });
}

/** Every SQLite database begins with these bytes. */
const sqliteHeader = 'SQLite format 3\0';

function isSqliteFile(file: string): boolean {
  if (!existsSync(file)) return false;
  const beginning = Buffer.alloc(sqliteHeader.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, beginning);
  } finally {
    closeSync(descriptor);
  }
  return beginning.toString('latin1') === sqliteHeader;
}

const secretKeyLines = {
  restored: ['Its secret key was restored too.'],
  'already there': [],
  'from SECRET_KEY': ['SECRET_KEY is set and is used. Make sure that it is the key of the restored hub.'],
  missing: [
    'The backup contains no secret key. Set SECRET_KEY or restore DATA_DIR/secret-key, or webhooks cannot be signed.',
  ],
} as const;
