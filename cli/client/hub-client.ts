/** Calls the hub's public interface over plain HTTP, for the command line and the tour. */

import { startCommand } from '#runtime/process/start-command.ts';
import { whyNoAnswer } from './why-no-answer.ts';

/** An answer of the hub that is not a success, or none at all. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
  /** The machine-readable code, or null when no hub answered. */
  readonly code: string | null;

  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}

export interface HubClient {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body?: object): Promise<Body>;
  /** The answer itself, for streams. */
  open(path: string): Promise<Response>;
  /** The same hub, as the agent that holds `token`. */
  withToken(token: string): HubClient;
}

const answerTimeoutMs = 15_000;

export function createHubClient(hubUrl: string, token: string | null = null): HubClient {
  async function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await fetch(hubUrl + path, { ...init, method, headers }).catch((error: unknown) => {
      throw new HubRefusal(
        `No hub answers at ${hubUrl}: ${whyNoAnswer(error)}. \`${startCommand}\` starts one; HUB_URL names one that runs elsewhere.`,
      );
    });
    if (response.ok) return response;
    throw await refusalOf(`${method} ${path}`, response);
  }

  async function json<Body>(method: string, path: string, body?: object): Promise<Body> {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await call(method, path, {
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // Callers read only what the interface promises for the call they make.
    return (await response.json()) as Body;
  }

  return {
    get: (path) => json('GET', path),
    post: (path, body) => json('POST', path, body),
    open: (path) => call('GET', path),
    withToken: (agentToken) => createHubClient(hubUrl, agentToken),
  };
}

/** The hub's own words, which say what to do; what is not the hub's error body is given as it came. */
async function refusalOf(call: string, response: Response): Promise<HubRefusal> {
  const text = await response.text();
  try {
    const { error, message, hint } = JSON.parse(text) as { error: string; message: string; hint?: string };
    return new HubRefusal([`${error}: ${message}`, hint ?? ''].join(' ').trim(), error);
  } catch {
    return new HubRefusal(`${call} was answered with ${response.status}: ${text.slice(0, 500)}`);
  }
}
