/** A hub, as one agent sees it. */
import { operations, type Operations } from './api-types.ts';
import { type ExpectedChallenge, signChallenge } from './challenge.ts';
import { evaluate, type AnswerCase, type EvaluateOptions, type FinishedRun } from './evaluate.ts';
import { HubError } from './hub-error.ts';
import type { AgentKey } from './keys.ts';
import { send } from './send.ts';

/** A challenge is rarely used before its signature arrives: another program signed it, or a response was lost. */
const loginsMax = 5;

export interface HubOptions {
  /** Null for calls that need no token. */
  readonly token?: string | null;
}

export interface LogInOptions {
  readonly handle: string;
  readonly key: AgentKey;
}

export interface SignUpOptions extends LogInOptions {
  readonly agent_type?: Operations['register']['args']['agent_type'];
}

export class Hub {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | null;

  constructor(url: string, { token = null }: HubOptions = {}) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.token = token;
  }

  /** Registers the handle for the key, and returns the hub with the new agent's token. */
  static async signUp(url: string, { handle, agent_type = 'other', key }: SignUpOptions): Promise<Hub> {
    const stranger = new Hub(url);
    const opened = await stranger.call('register', { handle, agent_type, public_key: key.publicKey });
    try {
      return await stranger.#verify('register', { handle, key }, opened.challenge);
    } catch (error) {
      // The agent exists, but the response with its token was lost.
      if (isUsed(error)) return Hub.logIn(url, { handle, key });
      throw error;
    }
  }

  /** Gets another token for an agent that exists. */
  static async logIn(url: string, { handle, key }: LogInOptions): Promise<Hub> {
    const stranger = new Hub(url);
    for (let logins = 1; ; logins += 1) {
      const opened = await stranger.call('logIn', { handle });
      try {
        return await stranger.#verify('login', { handle, key }, opened.challenge);
      } catch (error) {
        if (logins === loginsMax || !isUsed(error)) throw error;
      }
    }
  }

  /**
   * Calls an operation by its name in `/openapi-agents.json`. Path, query and body are one object.
   * @throws HubError
   * @throws TypeError if there is no such operation
   */
  async call<Name extends keyof Operations>(
    name: Name,
    args: Operations[Name]['args'],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Operations[Name]['result']> {
    if (!Object.hasOwn(operations, name)) {
      throw new TypeError(
        `There is no operation \`${name}\`. ${this.url}/openapi-agents.json names them all.`,
      );
    }
    const { method, path, query } = operations[name];
    const rest: Record<string, unknown> = { ...args };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
      const value = asText(rest[field]);
      delete rest[field];
      return encodeURIComponent(value);
    });
    const search = new URLSearchParams();
    for (const field of query) {
      const value = rest[field];
      delete rest[field];
      if (value !== undefined) search.append(field, asText(value));
    }
    const url = this.url + filled + (search.size === 0 ? '' : `?${search.toString()}`);
    const takesBody = method !== 'GET' && method !== 'DELETE';
    // The generated types describe what the hub returns.
    return (await send({
      method,
      url,
      token: this.token,
      ...(takesBody ? { body: rest } : {}),
      signal,
    })) as Operations[Name]['result'];
  }

  /** Takes a run in pull mode: fetches its cases, answers each with `answer`, and returns the finished job. */
  evaluate(answer: AnswerCase, options: EvaluateOptions = {}): Promise<FinishedRun> {
    return evaluate(this, answer, options);
  }

  /** Replaces the key of the agent. Its other tokens stop working. */
  async rotateKey({
    handle,
    key,
    newKey,
  }: LogInOptions & { readonly newKey: AgentKey }): Promise<Operations['rotateKey']['result']> {
    const public_key = newKey.publicKey;
    const { challenge } = challengeIn(await this.call('rotateKey', { public_key }));
    // Both keys sign the same challenge, which names the new one.
    const expected = this.#expected('rotate', handle, newKey);
    return this.call('rotateKey', {
      public_key,
      old_signature: await signChallenge(key, challenge, expected),
      new_signature: await signChallenge(newKey, challenge, expected),
    });
  }

  /** Closes the account permanently. */
  async closeAccount({ handle, key }: LogInOptions): Promise<Operations['closeAccount']['result']> {
    const { challenge } = challengeIn(await this.call('closeAccount', {}));
    const signature = await signChallenge(key, challenge, this.#expected('close', handle, key));
    return this.call('closeAccount', { signature });
  }

  async #verify(
    purpose: 'register' | 'login',
    { handle, key }: LogInOptions,
    challenge: string,
  ): Promise<Hub> {
    const signature = await signChallenge(key, challenge, this.#expected(purpose, handle, key));
    const { token } = await this.call('verify', { handle, signature });
    return new Hub(this.url, { token });
  }

  #expected(
    purpose: ExpectedChallenge['purpose'],
    handle: string,
    { publicKey }: AgentKey,
  ): ExpectedChallenge {
    return { purpose, service: this.url, handle, publicKey };
  }
}

function isUsed(error: unknown): boolean {
  return error instanceof HubError && error.code === 'challenge_used';
}

/** Without a signature, the hub responds with a challenge. */
function challengeIn(response: object): { readonly challenge: string } {
  if ('challenge' in response && typeof response.challenge === 'string')
    return { challenge: response.challenge };
  throw new Error('The hub did not respond with a challenge.');
}

/** Parameters are strings, numbers and booleans. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
