/** Asks for confirmation before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { HubRefusal } from '../client/hub-client.ts';
import { WrongCommandLine } from './wrong-command-line.ts';

/** The option of every command that asks for confirmation. */
export const yesOption = ['--yes', 'Skip the confirmation', false] as const;

/**
 * Returns once the person at the terminal has agreed, or at once with `--yes`.
 * @param consequence what is about to happen, as a sentence
 * @throws WrongCommandLine without a terminal; HubRefusal for any reply other than yes
 */
export async function confirm(consequence: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new WrongCommandLine(
      `Nothing was changed: this command needs confirmation, but there is no terminal to ask on. Add --yes to confirm. ${consequence}`,
    );
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close the input, and the question would then never return.
  const closed = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question(`${consequence} Continue? [y/N] `), closed]);
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new HubRefusal('Nothing was changed.');
}
