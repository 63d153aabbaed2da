/**
 * The sentences that tell a target what form of answer is read. Working aloud is allowed everywhere: only the last
 * line labelled "Answer:" counts, or the whole reply when there is none. No variant begins a line with that label,
 * so that a prompt sent back as it came holds no answer.
 */
import type { Random } from '../random.ts';

/** Asks for `what` (such as "the whole number in plain digits") in one of several wordings. */
export function askForAnswer(random: Random, what: string): string {
  return random.pick([
    `Reply with ${what} and nothing else, or end your reply with a line that starts with "Answer:" followed by it.`,
    `You may work it out in writing first. The last line of your reply must be "Answer:" followed by ${what}.`,
    `Give ${what} on the last line of your reply, after the label "Answer:". Anything before that line is ignored.`,
    `Finish with one line: the label "Answer:" and then ${what}. Working above that line is fine.`,
  ]);
}

/** Asks for a whole number. */
export function askForNumber(random: Random): string {
  return askForAnswer(
    random,
    random.pick(['the whole number in plain digits', 'the number, written in digits']),
  );
}
