/**
 * The sentences that tell a target which form of answer is read: the last line labelled "Answer:", or the
 * whole reply when there is none, so working aloud is always allowed. No variant starts a line with that
 * label, so a prompt sent back unchanged contains no answer.
 */
import type { Random } from '../random.ts';

/** @param what such as "the whole number in plain digits" */
export function askForAnswer(random: Random, what: string): string {
  return random.pick([
    `Reply with nothing but ${what}, or put that on the last line of your reply, after the label "Answer:".`,
    `You may work it out in writing first. The last line of your reply must be "Answer:" followed by ${what}.`,
    `Give ${what} on the last line of your reply, after the label "Answer:". Anything before that line is ignored.`,
    `Finish with one line: the label "Answer:" and then ${what}. Working above that line is fine.`,
  ]);
}

export function askForNumber(random: Random): string {
  return askForAnswer(
    random,
    random.pick(['the whole number in plain digits', 'the number, written in digits']),
  );
}
