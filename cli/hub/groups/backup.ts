/** `hub backup` and `hub restore`: a consistent copy of the hub's database, and the way back. */
import packageJson from '../../../package.json' with { type: 'json' };
import { parseSettings } from '#runtime/settings/settings.ts';
import type { Command } from 'commander';
import { type CommandGroup, type CommandLine, endWith } from '../command-line.ts';
import { confirm, yesOption } from '../confirm.ts';
import { postgresBackupLines, postgresRestoreLines } from '../operator/backup/postgres-commands.ts';
import { restoreHub } from '../operator/backup/restore-hub.ts';
import { backUpHub } from '../operator/backup/back-up-hub.ts';
import { databaseOf } from '../operator/open-operator.ts';

export const addBackupCommands: CommandGroup = (program, line) => {
  addBackup(program, line);
  addRestore(program, line);
};

const backupHelp = `
The copy is of one instant; a hub that runs goes on meanwhile. It is one file for its owner alone and holds, beside the
database, the secret key that the hub has made for itself (DATA_DIR/secret-key), without which the secrets of webhooks
change. What is not in it: a SECRET_KEY that you have set, and the other settings; mail written to DATA_DIR/mail while no
SMTP_URL is set. DATA_DIR/redis needs no backup: all that matters is in the database.

On Postgres nothing is copied: it says which commands of Postgres to run, and ends with 1.

Examples:
  hub backup /backups/hub-$(date +%F).sqlite
  DATA_DIR=/var/lib/hub hub backup hub.sqlite --json`;

function addBackup(program: Command, line: CommandLine): void {
  program
    .command('backup <file>')
    .description('copy the database of a hub, running or not, into a new file')
    .addHelpText('after', backupHelp)
    .action((file: string) => {
      const settings = parseSettings(process.env);
      const database = databaseOf(settings);
      if (database.kind === 'postgres') {
        const run = postgresBackupLines(database.url, file);
        line
          .output()
          .result({ backed_up: false, run }, [
            'This hub is on Postgres, whose own tools copy it while it runs. Nothing was copied; run:',
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
            ? ['It holds the secret key of the hub: keep it where only you can read it.']
            : ['The SECRET_KEY of the hub is not in it: keep that as well.']),
        ],
      );
    });
}

const restoreHelp = `
The copy is checked first: that it is whole, of a hub, and not of a newer version. Refused while a hub runs on it. The
database that was there is kept beside the new one, and its secret key too where the backup has another one; the output
names them. What happened since the backup was made is gone, tokens that were given out included.

On Postgres nothing is restored: it says which commands of Postgres to run, and ends with 1.

Examples:
  hub restore /backups/hub-2027-01-31.sqlite
  DATA_DIR=/var/lib/hub hub restore hub.sqlite --yes && hub audit`;

function addRestore(program: Command, line: CommandLine): void {
  program
    .command('restore <file>')
    .description('put a backup in the place of the database')
    .option(...yesOption)
    .addHelpText('after', restoreHelp)
    .action(async (file: string, { yes }: { yes: boolean }) => {
      const settings = parseSettings(process.env);
      const database = databaseOf(settings);
      if (database.kind === 'postgres') {
        const run = postgresRestoreLines(database.url, file);
        line
          .output()
          .result({ restored: false, run }, [
            'This hub is on Postgres, whose own tools restore it. Nothing was restored; stop the hub and run:',
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
          `${database.file} is the hub of ${restored.madeAt?.toISOString() ?? 'an unknown time'}`,
          ...restored.kept.map((kept) => `kept   ${kept}`),
          ...(restored.isOlder ? ['It is of an older version; the next start migrates it.'] : []),
          ...secretKeyLines[restored.secretKey],
          'Start the hub, and run `hub audit`.',
        ],
      );
    });
}

const secretKeyLines = {
  restored: ['Its secret key was restored with it.'],
  'already there': [],
  'from SECRET_KEY': ['SECRET_KEY is set and is used: it must be the one of that hub.'],
  missing: [
    'The backup has no secret key: set SECRET_KEY or put back DATA_DIR/secret-key, or else no webhook can be signed.',
  ],
} as const;
