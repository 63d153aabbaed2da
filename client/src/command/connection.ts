/** The hub, as the command talks to it. */
import { HubError } from '../hub-error.ts';
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
export async function ask(
  { url, token, signal }: Connection,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<unknown> {
  const content = body === undefined ? {} : { body, ...(contentType === undefined ? {} : { contentType }) };
  try {
    return await send({ method, url: url + path, token, signal, ...content });
  } catch (error) {
    if (error instanceof HubError || signal.aborted || !(error instanceof Error)) throw error;
    throw new NotPossible(`No hub responds at ${url} (${reasonOf(error)}). Check HUB_URL or --hub.`);
  }
}

/** Node gives the reason as the cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
