/**
 * The sentences that tell a target which form of answer is read: the last line labelled "Answer:", or the
 * whole reply when there is none, so working aloud is always allowed. No variant starts a line with that
 * label, so a prompt sent back unchanged contains no answer.
 */
import type { Random } from '../../random.ts';
import requests from './answer-requests.json' with { type: 'json' };
import { drawWording, fillIn } from './wordings.ts';

/** @param what such as "the whole number in plain digits" */
export function askForAnswer(random: Random, what: string): string {
  return fillIn(drawWording(random, requests), { what });
}

export function askForNumber(random: Random): string {
  return askForAnswer(
    random,
    random.pick(['the whole number in plain digits', 'the number, written in digits']),
  );
}
