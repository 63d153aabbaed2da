/** `hub backup`, `hub restore`, `hub rehearse-restore`: a consistent copy of the hub's database, and its restoration. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import packageJson from '../../../package.json' with { type: 'json' };
import { commandEnvironment } from '#cli/running-hub.ts';
import { findBackupFile, latestBackupFile, listBackupFiles } from '#domain/backups/backup-files.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import type { Command } from 'commander';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { confirm, instant, WrongCommandLine, yesOption } from '../arguments.ts';
import { postgresBackupLines, postgresRestoreLines } from '../operator/backup/postgres-commands.ts';
import { rehearseRestore } from '../operator/backup/rehearse-restore.ts';
import { restoreIntoPostgres } from '../operator/backup/restore-into-postgres.ts';
import { restoreHub } from '../operator/backup/restore-hub.ts';
import { backUpHub } from '../operator/backup/back-up-hub.ts';
import { databaseOf } from '../operator/open-operator.ts';

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
      const settings = parseSettings(commandEnvironment());
      const database = databaseOf(settings);
      if (database.kind === 'postgres') {
        const run = postgresBackupLines(database.url, file);
        line
          .output()
          .result({ backed_up: false, run }, [
            'This hub uses Postgres, whose own tools can copy it while it runs. Nothing was copied. Run:',
            '',
            ...run,
          ]);
        endWith(false);
        return;
      }
      const made = backUpHub({ settings, store: database.file, file, version: packageJson.version });
      line.output().result(
        {
          backed_up: true,
          file,
          bytes: made.bytes,
          made_at: made.madeAt,
          secret_key: made.secretKey,
        },
        [
          `${file}: ${made.bytes} bytes, checked`,
          ...(made.secretKey === 'included'
            ? ['It contains the secret key of the hub. Keep it where only you can read it.']
            : ['It does not contain SECRET_KEY. Back that up as well.']),
        ],
      );
    });
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
      const settings = parseSettings(commandEnvironment());
      const file = chooseBackup(settings, given, chosen);
      const database = databaseOf(settings);
      if (database.kind === 'postgres') {
        if (isSqliteFile(file)) {
          const output = line.output();
          const restored = await restoreIntoPostgres({ settings, database, file, output });
          output.result(
            {
              restored: true,
              file,
              rows: restored.rows,
              made_at: restored.madeAt,
              kept: restored.kept,
              secret_key: restored.secretKey,
            },
            [
              `The database now holds the backup of ${restored.madeAt?.toISOString() ?? 'an unknown time'}: ${restored.rows} rows, verified and audited.`,
              ...restored.kept.map((kept) => `kept   ${kept}`),
              ...secretKeyLines[restored.secretKey],
              'Start the hub.',
            ],
          );
          return;
        }
        const run = postgresRestoreLines(database.url, file);
        line
          .output()
          .result({ restored: false, run }, [
            'This hub uses Postgres, whose own tools restore it. Nothing was restored. Stop the hub and run:',
            '',
            ...run,
          ]);
        endWith(false);
        return;
      }
      const restored = await restoreHub({
        settings,
        store: database.file,
        file,
        agree: (consequence) => confirm(consequence, yes),
      });
      line.output().result(
        {
          restored: true,
          file,
          database: database.file,
          made_at: restored.madeAt,
          kept: restored.kept,
          secret_key: restored.secretKey,
          migrates_at_start: restored.isOlder,
        },
        [
          `${database.file} now holds the backup of ${restored.madeAt?.toISOString() ?? 'an unknown time'}`,
          ...restored.kept.map((kept) => `kept   ${kept}`),
          ...secretKeyLines[restored.secretKey],
          restored.isOlder
            ? 'It is from an older version. Run `hub migrate` and `hub audit`, then start the hub.'
            : 'Run `hub audit`, then start the hub.',
        ],
      );
    });
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
      const { madeAt, isOlder, tookMs, checks } = await rehearseRestore(file);
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
          `${file} restores: the backup of ${madeAt?.toISOString() ?? 'an unknown time'}, in ${tookMs} ms`,
          ...drifting.map(({ name, promise }) => `DRIFT  ${name} ${promise}`),
          drifting.length === 0
            ? `${checks.length} checks of the audit hold.`
            : 'The audit found drift. Run `hub audit` on the hub itself to see whether it has it too.',
        ],
      );
      endWith(drifting.length === 0);
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
