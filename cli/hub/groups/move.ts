/** `hub move`: copies a hub to another database. */
import { MoveRefusal } from '#db/move/move-target.ts';
import { moveStore } from '#db/move/move-store.ts';
import { describeStore } from '#db/explain-open-failure.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { hubOfCommand } from '../../running-hub.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { WrongCommandLine } from '../arguments.ts';
import type { CommandGroup } from '../command-line.ts';
import { databaseOf } from '../operator/open-operator.ts';
import { requireSoundCopy, showEstimate } from '../operator/move-progress.ts';

const moveHelp = `
Copies everything: agents, tokens, open runs with their leases, jobs, mail, webhook deliveries, sessions and bookings. The
hub must be stopped or frozen (\`hub freeze\`, which lets readers go on). The source is not changed.

The target must be empty: a file that does not exist, or a database without tables. The copy counts only once the rows and
a checksum of every table are those of the source, and \`hub audit\` has passed on it. A move that was interrupted starts
again from the beginning: run the same command again.

If Postgres asks for a password, set PGPASSWORD: other users can see command lines.

Files in DATA_DIR stay where they are, among them the secret key of the hub. Afterwards start the hub with the new
DATABASE_URL and the same DATA_DIR, or the same SECRET_KEY.

Examples:
  hub move --to postgres://hub@db.example.org/hub
  DATABASE_URL=postgres://hub@db.example.org/hub hub move --to sqlite:/var/lib/hub/hub.sqlite`;

export const addCommands: CommandGroup = (program, line) => {
  program
    .command('move')
    .description('Copy a stopped or frozen hub to another database')
    .requiredOption('--to <url>', 'Where to: postgres://user@host/database, or sqlite:<file>')
    .addHelpText('after', moveHelp)
    .action(async ({ to: given }: { to: string }) => {
      const { environment, settingsFile } = hubOfCommand();
      const from = databaseOf(parseSettings(environment));
      const to = readTarget(environment, given);
      const output = line.output();
      const startedAt = performance.now();
      const estimate = showEstimate(output);
      try {
        const moved = await moveStore({ from, to, check: requireSoundCopy, onProgress: estimate });
        const tookMs = Math.round(performance.now() - startedAt);
        output.result(
          {
            moved: true,
            rows: moved.rows,
            tables: moved.tables,
            took_ms: tookMs,
            source_frozen: moved.isFrozen,
          },
          [
            `${describeStore(to)} holds the hub: ${moved.rows} rows of ${moved.tables} tables, verified and audited, in ${(tookMs / 1_000).toFixed(1)} s.`,
            `The source, ${describeStore(from)}, was not changed${moved.isFrozen ? ' and is still frozen. Stop its processes' : ''}.`,
            `Set DATABASE_URL to it ${settingsFile === null ? 'wherever the hub gets it' : `in ${settingsFile}`}, and start the hub with the same DATA_DIR or SECRET_KEY.`,
          ],
        );
      } catch (error) {
        if (error instanceof MoveRefusal) throw new HubRefusal(`Nothing was moved. ${error.message}`);
        throw error;
      }
    });
};

function readTarget(environment: ReturnType<typeof hubOfCommand>['environment'], given: string) {
  try {
    const to = databaseOf(parseSettings({ ...environment, DATABASE_URL: given }));
    if (given.trim() !== '') return { ...to, namedBy: '--to' };
  } catch {
    // The message below says what is wrong with it.
  }
  throw new WrongCommandLine(
    '--to must be postgres://user@host/database or sqlite:<file>, as DATABASE_URL is. Quote it if it contains & or spaces.',
  );
}
