/** The hub, as the command talks to it. */
import { send } from '../send.ts';

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
  { url, token, signal }: Connection,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<unknown> {
  const content = body === undefined ? {} : { body, ...(contentType === undefined ? {} : { contentType }) };
  return send({ method, url: url + path, token, signal, ...content });
}
