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

/**
 * Whether a response is the challenge and nothing else: the text itself, with white space around it, or the JSON object
 * `{"challenge": …}`. A server that reflects requests, as echo services and error pages do, returns more than that.
 */
export function echoes(body: Uint8Array, data: Readonly<Record<string, unknown>>): boolean {
  const { challenge } = data;
  if (typeof challenge !== 'string') return false;
  const text = new TextDecoder().decode(body).trim();
  if (text === challenge) return true;
  const value = parseJson(text);
  return isObject(value) && Object.keys(value).length === 1 && value['challenge'] === challenge;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
