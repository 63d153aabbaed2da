/**
 * Checks a challenge before it is signed. A hostile hub can pass on the challenge of another hub: with a signature of
 * it, the hostile hub would act there as the agent.
 */
import { type AgentKey, signText } from './keys.ts';

export interface ExpectedChallenge {
  /** What was asked for. */
  readonly purpose: 'register' | 'login' | 'rotate' | 'close';
  /** The URL of the hub that was asked. */
  readonly service: string;
  readonly handle: string;
  /** In base64: the key of the agent, or the new one when it is replaced. */
  readonly publicKey: string;
}

/** Nothing was signed. */
export class ChallengeError extends Error {
  override readonly name = 'ChallengeError';
  /** The field of the challenge that is wrong; null if the challenge has another form. */
  readonly field: string | null;

  constructor(field: string | null, reason: string) {
    super(`The challenge was not signed: ${reason}`);
    this.field = field;
  }
}

const form =
  /^agent-hub-challenge-v1 purpose=(?<purpose>[!-~]+) service=(?<service>[!-~]+) handle=(?<handle>[!-~]+) public_key=(?<publicKey>[!-~]+) nonce=[0-9a-f]{64} expires_at=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** @throws ChallengeError unless the challenge is for this hub, purpose, handle and key */
export function checkChallenge(challenge: unknown, expected: ExpectedChallenge): asserts challenge is string {
  const found = typeof challenge === 'string' ? form.exec(challenge)?.groups : undefined;
  if (found === undefined) {
    const shown = JSON.stringify(challenge)?.slice(0, 300);
    throw new ChallengeError(null, `it is not one line of the expected form, but ${shown}.`);
  }
  requireSame('purpose', found['purpose'], expected.purpose);
  requireSame('service', originOf(found['service'] ?? ''), originOf(expected.service), serviceAdvice);
  requireSame('handle', found['handle'], expected.handle);
  requireSame('public_key', found['publicKey'], expected.publicKey);
}

function requireSame(field: string, given: string | undefined, wanted: string, advice = ''): void {
  if (given === wanted) return;
  throw new ChallengeError(field, `its ${field} is ${given}, but ${wanted} is expected.${advice}`);
}

const serviceAdvice =
  ' Only the hub at the URL that you use may get your signature. If both are one hub, use the URL in the challenge.';

/** @throws ChallengeError, and signs nothing, unless the challenge is for this hub, purpose, handle and key */
export async function signChallenge(
  key: AgentKey,
  challenge: string,
  expected: ExpectedChallenge,
): Promise<string> {
  checkChallenge(challenge, expected);
  return signText(key, challenge);
}

/** Hubs on this machine are the same under each of these names. */
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The URL in its usual form without the last slash. A text that is not the URL of a hub is returned as it is. */
function originOf(text: string): string {
  const url = parseUrl(text);
  if (url === null) return text;
  if (loopbackNames.has(url.hostname)) url.hostname = '127.0.0.1';
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/(?<!\/)\/+$/, '');
}

function parseUrl(text: string): URL | null {
  try {
    const url = new URL(text);
    const isPlain = /^https?:$/.test(url.protocol) && !/[?#\\@]/.test(text);
    return isPlain ? url : null;
  } catch {
    return null;
  }
}
