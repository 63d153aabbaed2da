/** `hub freeze` and `hub unfreeze`: a hub that can be read and stores nothing. */
import { Option } from 'commander';
import type { Database } from '#db/database.ts';
import { freezeOf, freezeSettlesMs } from '#db/transaction.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { line as oneLine } from '../arguments.ts';
import type { CommandGroup } from '../command-line.ts';
import { operatorCommand } from '../operator-command.ts';

const reasonMax = 200;

const freezeHelp = `
Every process of the hub follows within 5 seconds. Writes, and requests for cases and tasks, get 503 hub_frozen with
Retry-After; reads continue, and what they would have stored is computed and not saved. Workers take no work; what they were
doing may still be stored for 10 seconds. The command returns when nothing is stored any more, after ${freezeSettlesMs / 1_000} seconds.
Deadlines of runs and leases go on. The freeze is shown by \`hub health\` and at /desk.`;

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

const freeze = operatorCommand({
  name: 'freeze',
  about: 'Store nothing until `hub unfreeze`; reads continue',
  options: [
    new Option('--reason <text>', 'Why, for the other operators and maintainers').argParser(
      oneLine(reasonMax),
    ),
  ],
  help: freezeHelp,
  examples: ["--reason 'Moving to another machine'"],
  run: async (ctx, { reason = null }: { reason?: string | null }, _operator, output) => {
    const { freeze: left, changed } = await freezeHub(ctx, { reason });
    const since = left?.frozenAt ?? ctx.clock.now();
    const note = 's; what is under way may still be stored';
    await untilSettled(ctx.db, since, (passed, of) => output.progress(passed, of, note));
    const said = changed
      ? 'The hub is frozen. Nothing is stored until `hub unfreeze`.'
      : `The hub has been frozen since ${since.toISOString()}.`;
    return [{ frozen: true, changed, since, reason: left?.reason ?? null }, [said]];
  },
});

const unfreeze = operatorCommand({
  name: 'unfreeze',
  about: 'End a freeze',
  help: 'Every process follows within 5 seconds.',
  examples: [''],
  run: async (ctx) => {
    const { freeze: left, changed } = await unfreezeHub(ctx);
    const said =
      left === null
        ? 'The hub is not frozen.'
        : `The hub is no longer frozen. It had been since ${left.frozenAt.toISOString()}.`;
    return [{ frozen: false, changed, since: left?.frozenAt ?? null }, [said]];
  },
});

export const addCommands: CommandGroup = (program, line) => {
  for (const add of [freeze, unfreeze]) add(program, line);
};
