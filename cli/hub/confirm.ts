/** Asks before what cannot be taken back. */
import { createInterface } from 'node:readline/promises';
import { HubRefusal } from '../client/hub-client.ts';
import { WrongCommandLine } from './wrong-command-line.ts';

/** The option of every command that asks. */
export const yesOption = ['--yes', 'do not ask', false] as const;

/**
 * Comes back once the person at the terminal has agreed, or at once with `--yes`.
 * @param consequence what is about to happen, as a sentence
 * @throws WrongCommandLine where nobody can be asked; HubRefusal for any other answer than yes
 */
export async function confirm(consequence: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new WrongCommandLine(
      `nothing was changed: this asks first, and nobody can be asked here. If it is meant, add --yes. ${consequence}`,
    );
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D end the input, and the question would then wait for ever.
  const closed = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question(`${consequence} Go on? [y/N] `), closed]);
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new HubRefusal('Nothing was changed.');
}
