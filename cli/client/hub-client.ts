/** Calls the hub's public API over HTTP, for the command line and the demo. */
import { adviceIn } from '#client/advice.ts';
import { startCommand } from '#runtime/project-files.ts';

/** An error response from the hub, or no response at all. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
  /** The machine-readable error code; null when no hub responded. */
  readonly code: string | null;

  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}

export interface HubClient {
  readonly url: string;
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body?: object): Promise<Body>;
  patch<Body>(path: string, body: object): Promise<Body>;
  /** Returns the raw response, for streams. */
  open(path: string): Promise<Response>;
  /** The same hub, authenticated with `token`. */
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
      throw new HubRefusal(`Cannot reach a hub at ${hubUrl}: ${whyNoAnswer(error)}. ${wayOut(error)}`);
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
    // Callers read only the fields that the API documents for their call.
    return (await response.json()) as Body;
  }

  return {
    url: hubUrl,
    get: (path) => json('GET', path),
    post: (path, body) => json('POST', path, body),
    patch: (path, body) => json('PATCH', path, body),
    open: (path) => call('GET', path),
    withToken: (agentToken) => createHubClient(hubUrl, agentToken),
  };
}

/** Uses the hub's own message, which says what to do. A body in another format is quoted. */
async function refusalOf(call: string, response: Response): Promise<HubRefusal> {
  const text = await response.text();
  try {
    const {
      error,
      message,
      hint = '',
    } = JSON.parse(text) as { error: string; message: string; hint?: string };
    const { status } = response;
    return new HubRefusal(
      `${error}: ${adviceIn({ status, message, hint }, 'Get another with `hub login`.')}`,
      error,
    );
  } catch {
    return new HubRefusal(`${call} returned ${response.status}: ${text.slice(0, 500)}`);
  }
}

/** Reads a Server-Sent Events stream as the hub writes it. */

/** Each event has a name and one line of JSON. */
export async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}

/** Explains to the user why a request got no response. */

/** @param error the error thrown by `fetch` */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'the cause is unknown';
  if ('code' in error && error.code === 'ECONNREFUSED') return 'nothing is listening there';
  if (isUnresolved(error)) return 'its name does not resolve';
  return error.message.replace(/\.$/, '');
}

function wayOut(error: unknown): string {
  return isUnresolved(error)
    ? 'Create its DNS record, or correct the address: it is from --hub, HUB_URL or the BASE_URL of the hub.'
    : `Start one with \`${startCommand}\`, or set HUB_URL to the address of another.`;
}

/** Whether no address was found for the name in the URL. */
function isUnresolved(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unresolvedCodes.has(String(error.code));
}

const unresolvedCodes = new Set(['ENOTFOUND', 'EAI_AGAIN']);
