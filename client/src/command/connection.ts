/** The hub, as the command talks to it. */
import { adviceIn, HubError } from '../hub-error.ts';
import { send, type SendOptions } from '../send.ts';

/** The run was not possible. The message says why, and what to do. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** @param contentType of a body that is a text; others are sent as JSON */
export function ask(
  hub: Connection,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<unknown> {
  return request(hub, { method, path, body, contentType });
}

export async function askText(hub: Connection, path: string): Promise<string> {
  return String(await request(hub, { method: 'GET', path, asText: true }));
}

type Request = Omit<SendOptions, 'url' | 'token' | 'signal'> & { readonly path: string };

async function request({ url, token, signal }: Connection, { path, ...rest }: Request): Promise<unknown> {
  try {
    return await send({ ...rest, url: url + path, token, signal });
  } catch (error) {
    if (error instanceof HubError || signal.aborted || !(error instanceof Error)) throw error;
    throw noHub(url, error);
  }
}

export function noHub(url: string, error: Error): NotPossible {
  return new NotPossible(
    `No hub responds at ${url} (${reasonOf(error)}). Check HUB_URL or --hub. If the hub is your own, check that it runs: \`npm start\` in its folder starts it.`,
  );
}

/** Node gives the reason as the cause. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

const tokenAdvice =
  'It has expired, or belongs to another hub. Set HUB_TOKEN to another one, or add --key FILE, which logs in each time.';

/** What went wrong, for a user. */
export function explain(error: unknown): string {
  if (error instanceof HubError) return adviceIn(error, tokenAdvice);
  if (!(error instanceof Error)) throw error;
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
