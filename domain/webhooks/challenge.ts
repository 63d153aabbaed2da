/**
 * The challenge that a receiver must echo before the hub sends it anything else. It proves that the receiver wants the
 * calls, so that nobody can point the hub at somebody else's server.
 */
import { randomBytes } from 'node:crypto';

/** It cannot be subscribed to. */
export const challengeKind = 'webhook.challenge';
const challengeBytes = 24;

/** A delivery to enqueue. */
export function challengeOf(webhookId: string) {
  const challenge = randomBytes(challengeBytes).toString('base64url');
  return { webhookId, kind: challengeKind, data: { challenge } };
}

/** Whether the body contains the challenge, as plain text or in JSON. */
export function echoes(body: Uint8Array, data: Readonly<Record<string, unknown>>): boolean {
  const { challenge } = data;
  return typeof challenge === 'string' && Buffer.from(body).includes(challenge);
}
