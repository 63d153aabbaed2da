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

  async function post(message: Message, line: string): Promise<string[]> {
    logIn ??= enter(url, key);
    const hub = await logIn;
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
    return readMessages(await response.text(), response.headers.get('content-type') ?? '');
  }

  return {
    handle: async (line) => {
      const message = readMessage(line);
      if (message === null) return [failure(null, parseError, 'The line is not JSON.')];
      try {
        let answers = await post(message, line);
        if (answers.some(isTokenRefused)) {
          logIn = null; // Another process may have revoked the token.
          answers = await post(message, line);
        }
        if (message.method === 'initialize') version = versionIn(answers) ?? version;
        return answers;
      } catch (error) {
        logIn = null;
        if (message.id === undefined) return [];
        return [failure(message.id, internalError, explain(error))];
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

function readMessages(text: string, contentType: string): string[] {
  if (text.trim() === '') return [];
  if (!contentType.startsWith('text/event-stream')) return [JSON.stringify(JSON.parse(text))];
  return text
    .split('\n')
    .filter((row) => row.startsWith('data:'))
    .map((row) => row.slice('data:'.length).trim())
    .filter((data) => data !== '');
}

function isTokenRefused(answer: string): boolean {
  return answer.includes('"isError":true') && answer.includes('invalid_token');
}

function versionIn(answers: readonly string[]): string | null {
  for (const answer of answers) {
    const { result } = JSON.parse(answer) as { readonly result?: { readonly protocolVersion?: string } };
    if (result?.protocolVersion !== undefined) return result.protocolVersion;
  }
  return null;
}
