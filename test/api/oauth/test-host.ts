/** An MCP host in tests: asks for consent, exchanges codes and calls the hub, one step at a time. */
import { createHash, randomBytes } from 'node:crypto';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestHub, TestResponse } from '#test/harness/hub.ts';
import { headersOf, postMcp } from '#test/doors/mcp-clients.ts';
import { cookieOf, sendForm } from '#test/site/tour/sign-in.ts';

export const callback = 'https://host.example/callback';

export type Parameters = Readonly<Record<string, string>>;

export interface Grant {
  readonly access: string;
  readonly refresh: string;
}

export class TestHost {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly challenge = createHash('sha256').update(this.verifier).digest('base64url');
  readonly hub: TestHub;
  readonly clientId: string;

  constructor(hub: TestHub, clientId: string) {
    this.hub = hub;
    this.clientId = clientId;
  }

  static async register(hub: TestHub, metadata: object = {}): Promise<TestHost> {
    const json = { client_name: 'Test host', redirect_uris: [callback], ...metadata };
    const { status, body } = await hub.fetch('/oauth/register', { json });
    if (status !== 201) throw new Error(`register: ${status} ${JSON.stringify(body)}`);
    return new TestHost(hub, body.client_id);
  }

  requestUrl(changes: Parameters = {}): string {
    const parameters = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: callback,
      scope: 'read act spend',
      state: 'state-1',
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      resource: `${this.hub.ctx.rules.baseUrl}/mcp`,
      ...changes,
    };
    return `${this.hub.url}/authorize?${new URLSearchParams(parameters).toString()}`;
  }

  /** @returns the address of the consent page, or the refusal */
  async ask(changes: Parameters = {}): Promise<string> {
    const response = await this.askFor(changes);
    const location = response.headers.get('location');
    if (response.status !== 303 || location === null) throw new Error(`authorize: ${response.status}`);
    return this.hub.url + location;
  }

  askFor(changes: Parameters = {}): Promise<Response> {
    return fetch(this.requestUrl(changes), { redirect: 'manual', headers: { accept: 'application/json' } });
  }

  /** @returns the query of the redirect to the client */
  async decide(page: string, decision: 'approve' | 'deny', agent: TestAgent): Promise<URLSearchParams> {
    const cookie = await cookieOf(this.hub, agent);
    const response = await sendForm(page, { _form: decision, _agent: agent.handle }, { cookie });
    const location = response.headers.get('location') ?? '';
    if (response.status !== 303) throw new Error(`consent: ${response.status} ${await response.text()}`);
    return new URL(location).searchParams;
  }

  async code(agent: TestAgent, changes: Parameters = {}): Promise<string> {
    return (await this.decide(await this.ask(changes), 'approve', agent)).get('code') ?? '';
  }

  exchange(code: string, changes: Parameters = {}): Promise<TestResponse> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: this.verifier,
      redirect_uri: callback,
      ...changes,
    });
  }

  refresh(refresh_token: string, changes: Parameters = {}): Promise<TestResponse> {
    return this.token({ grant_type: 'refresh_token', refresh_token, ...changes });
  }

  token(fields: Parameters): Promise<TestResponse> {
    return postForm(this.hub, '/oauth/token', { client_id: this.clientId, ...fields });
  }

  async connect(agent: TestAgent, changes: Parameters = {}): Promise<Grant> {
    const { status, body } = await this.exchange(await this.code(agent, changes));
    if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`);
    return { access: body.access_token, refresh: body.refresh_token };
  }
}

export function postForm(hub: TestHub, path: string, fields: Parameters): Promise<TestResponse> {
  return hub.fetch(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** Calls a tool over MCP with no client in between. */
export async function callMcp(
  hub: TestHub,
  path: string,
  token: string | null,
  tool: string,
  args: object = {},
): Promise<{ readonly status: number; readonly challenge: string | null; readonly text: string }> {
  const params = { name: tool, arguments: args };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const response = await postMcp(hub, call, headersOf(token), path);
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    text: await response.text(),
  };
}
