/**
 * Connects an MCP host that starts local programs to the `/mcp` of a hub. The bridge holds the key and the
 * token, so that neither reaches the model.
 */
import { ChallengeError } from './challenge.ts';
import { Hub } from './hub.ts';
import { HubError } from './hub-error.ts';
import type { AgentKey } from './keys.ts';

/** The contents of the key file. */
export interface KeyFile extends AgentKey {
  readonly handle: string;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly ['_meta']?: Readonly<Record<string, unknown>>;
  };
}

/** What the hub responds to a message. */
interface Reply {
  readonly status: number;
  /** JSON that is not always an MCP message: refusals have the form of the API. */
  readonly lines: readonly string[];
}

export interface Bridge {
  /** Returns the responses to one message of the host, as lines. */
  handle(line: string): Promise<readonly string[]>;
}

const internalError = -32_603;
const parseError = -32_700;
const versionKey = 'io.modelcontextprotocol/protocolVersion';

export function createBridge(url: string, key: KeyFile): Bridge {
  // Shared, because a challenge can be signed only once.
  let logIn: Promise<Hub> | null = null;
  let version: string | null = null;

  async function post(message: Message, line: string): Promise<Reply> {
    const entered = (logIn ??= enter(url, key));
    const hub = await entered;
    const { method, params } = message;
    const name = params?.name ?? params?.uri;
    const current = params?.['_meta']?.[versionKey] ?? version;
    const response = await fetch(`${hub.url}/mcp`, {
      method: 'POST',
      body: line,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${hub.token}`,
        ...(method === undefined ? {} : { 'mcp-method': method }),
        ...(name === undefined ? {} : { 'mcp-name': name }),
        ...(typeof current === 'string' ? { 'mcp-protocol-version': current } : {}),
      },
    });
    const { status } = response;
    // Another process may have revoked the token; another message may have brought a new one.
    if (status === 401 && logIn === entered) logIn = null;
    return { status, lines: linesOf(await response.text(), response.headers.get('content-type') ?? '') };
  }

  return {
    handle: async (line) => {
      const message = readMessage(line);
      if (message === null) return [failure(null, parseError, 'The line is not JSON.')];
      const asked = [message].flat().flatMap((one) => (isRequest(one) ? [one.id] : []));
      try {
        let reply = await post(message, line);
        if (reply.status === 401) reply = await post(message, line);
        const answers = reply.lines.filter(isAnswer);
        if (message.method === 'initialize') version = versionIn(answers) ?? version;
        // The host waits for a response to each.
        const answered = new Set(answers.flatMap(idsIn));
        const open = asked.filter((id) => !answered.has(id));
        return [...answers, ...open.map((id) => failure(id, internalError, explain(refusalIn(reply))))];
      } catch (error) {
        logIn = null;
        return asked.map((id) => failure(id, internalError, explain(error)));
      }
    },
  };
}

/** Logs in, or signs up an agent whose key was stored but whose sign-up never reached the hub. */
async function enter(url: string, key: KeyFile): Promise<Hub> {
  const { handle } = key;
  try {
    return await Hub.logIn(url, { handle, key });
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'unknown_handle') throw error;
    return Hub.signUp(url, { handle, key });
  }
}

function readMessage(line: string): Message | null {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return null;
  }
}

function failure(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

export function explain(error: unknown): string {
  if (error instanceof HubError) return `${error.message} ${error.hint}`.trimEnd();
  if (error instanceof ChallengeError) return error.message;
  return `The hub did not respond: ${error instanceof Error ? error.message : String(error)}`;
}

function linesOf(text: string, contentType: string): string[] {
  if (!contentType.startsWith('text/event-stream')) {
    const body = readMessage(text);
    return body === null ? [] : [JSON.stringify(body)];
  }
  return text
    .split('\n')
    .filter((row) => row.startsWith('data:'))
    .map((row) => row.slice('data:'.length).trim())
    .filter((data) => data !== '');
}

/** Not an error without an id: the host would not know which request it is about. */
function isAnswer(line: string): boolean {
  return messagesIn(line).every((one) => isObject(one) && 'jsonrpc' in one && one['id'] !== null);
}

function idsIn(line: string): readonly unknown[] {
  return messagesIn(line).flatMap((one) => (isObject(one) ? [one['id']] : []));
}

/** Several in a batch. */
function messagesIn(line: string): readonly unknown[] {
  return [JSON.parse(line) as unknown].flat();
}

function isRequest(value: unknown): value is { readonly id: string | number } {
  return isObject(value) && 'id' in value && 'method' in value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Why a reply has no answer: the error of the API, or one of the protocol. */
function refusalIn({ status, lines: [line = 'null'] }: Reply): HubError {
  const body = JSON.parse(line) as unknown;
  const error = isObject(body) ? body['error'] : null;
  return new HubError(status, isObject(error) ? error : body);
}

function versionIn(answers: readonly string[]): string | null {
  for (const answer of answers) {
    const { result } = JSON.parse(answer) as { readonly result?: { readonly protocolVersion?: string } };
    if (result?.protocolVersion !== undefined) return result.protocolVersion;
  }
  return null;
}
