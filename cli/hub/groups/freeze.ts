/** `hub freeze` and `hub unfreeze`: a hub that can be read and stores nothing. */
import type { Database } from '#db/database.ts';
import { freezeOf, freezeSettlesMs } from '#db/transaction.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { line as oneLine } from '../arguments.ts';
import type { CommandGroup } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';

const reasonMax = 200;

const freezeHelp = `
Every process of the hub follows within 5 seconds. Writes, and requests for cases and tasks, get 503 hub_frozen with
Retry-After; reads go on, and what they would have stored is computed and not saved. Workers take no work; what they were
doing may still be stored for 10 seconds. The command returns when nothing is stored any more, after ${freezeSettlesMs / 1_000} seconds.
Deadlines of runs and leases go on. The freeze is shown by \`hub health\` and at /desk.

Examples:
  hub freeze --reason 'Moving to another machine'
  hub unfreeze`;

const secondMs = 1_000;

/**
 * Waits until nothing is stored any more.
 * @param onSecond is told how many seconds have passed since the freeze, and of how many
 * @throws HubRefusal if the freeze is ended meanwhile
 */
export async function untilSettled(
  db: Database,
  frozenAt: Date,
  onSecond: (passed: number, of: number) => void = () => {},
): Promise<void> {
  const seconds = freezeSettlesMs / secondMs;
  for (let leftMs = leftOf(frozenAt); leftMs > 0; leftMs = leftOf(frozenAt)) {
    onSecond(Math.floor(seconds - leftMs / secondMs), seconds);
    await Bun.sleep(Math.min(secondMs, leftMs));
    if (leftOf(frozenAt) <= 0) onSecond(seconds, seconds);
  }
  const left = await freezeOf(db);
  if (left?.frozenAt.getTime() !== frozenAt.getTime())
    throw new HubRefusal(
      'The freeze was ended while this command waited. Run `hub freeze` again if need be.',
    );
}

function leftOf(frozenAt: Date): number {
  return frozenAt.getTime() + freezeSettlesMs - Date.now();
}

export const addFreezeCommands: CommandGroup = (program, line) => {
  program
    .command('freeze')
    .description('Store nothing until `hub unfreeze`; reads go on')
    .option('--reason <text>', 'Why, for the other operators and maintainers', oneLine(reasonMax))
    .addHelpText('after', freezeHelp)
    .action(({ reason = null }: { reason?: string | null }) =>
      withOperator(async ({ ctx }) => {
        const { freeze, changed } = await freezeHub(ctx, { reason });
        const since = freeze?.frozenAt ?? ctx.clock.now();
        const output = line.output();
        const note = 's; what is under way may still be stored';
        await untilSettled(ctx.db, since, (passed, of) => output.progress(passed, of, note));
        output.result({ frozen: true, changed, since, reason: freeze?.reason ?? null }, [
          changed
            ? 'The hub is frozen. Nothing is stored until `hub unfreeze`.'
            : `The hub has been frozen since ${since.toISOString()}.`,
        ]);
      }),
    );
  program
    .command('unfreeze')
    .description('End a freeze')
    .addHelpText('after', '\nEvery process follows within 5 seconds.\n\nExample:\n  hub unfreeze')
    .action(() =>
      withOperator(async ({ ctx }) => {
        const { freeze, changed } = await unfreezeHub(ctx);
        line
          .output()
          .result({ frozen: false, changed, since: freeze?.frozenAt ?? null }, [
            freeze === null
              ? 'The hub is not frozen.'
              : `The hub is no longer frozen. It was since ${freeze.frozenAt.toISOString()}.`,
          ]);
      }),
    );
};
