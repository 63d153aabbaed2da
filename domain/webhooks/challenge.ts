/**
 * The challenge that a receiver must echo before the hub sends it anything else. It proves that the receiver wants the
 * calls, so that nobody can point the hub at somebody else's server.
 */
import { randomBytes } from 'node:crypto';
import { jsonIn } from '#runtime/json-in.ts';

/** It cannot be subscribed to. */
export const challengeKind = 'webhook.challenge';
const challengeBytes = 24;

/** A delivery to enqueue. */
export function challengeOf(webhookId: string) {
  const challenge = randomBytes(challengeBytes).toString('base64url');
  return { webhookId, kind: challengeKind, data: { challenge } };
}

/**
 * Whether a response is the challenge and nothing else: the text itself, with white space around it, or the JSON object
 * `{"challenge": …}`. A server that reflects requests, as echo services and error pages do, returns more than that.
 */
export function echoes(body: Uint8Array, data: Readonly<Record<string, unknown>>): boolean {
  const { challenge } = data;
  if (typeof challenge !== 'string') return false;
  const text = new TextDecoder().decode(body).trim();
  return text === challenge || Bun.deepEquals(jsonIn(text), { challenge }, true);
}
