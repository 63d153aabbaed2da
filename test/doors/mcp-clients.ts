/** Connects real MCP clients to a hub in tests, and calls tools with them. */
import { expect } from 'bun:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The part of a client that the tests use; both SDKs have it. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  readResource(resource: { uri: string }): Promise<unknown>;
  getPrompt(prompt: { name: string }): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** A client that `await using` closes. */
export type OwnClient = AnyClient & AsyncDisposable;

export function closedByUsing(client: AnyClient): OwnClient {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- a test that expects a field fails if it is not there
  readonly structuredContent: any;
}

export function headersOf(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** A client of the v2 SDK. @param mode undefined pins it to 2025-11-25 */
export async function connectModern(
  url: URL,
  token: string | null,
  mode?: 'auto',
  name = 'test',
): Promise<OwnClient> {
  const options = mode === undefined ? {} : { versionNegotiation: { mode } };
  const client = new Client({ name, version: '1' }, options);
  const requestInit = { headers: headersOf(token) };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return closedByUsing(client);
}

/** Sends one message, or several, over plain HTTP. */
export function postMcp(
  { url }: { readonly url: string },
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  path = '/mcp',
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    body: typeof message === 'string' ? message : JSON.stringify(message),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}

/** Calls a tool. Hosts show models the text or the structured content, so each says everything. */
export async function callTool(
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  const result = (await client.callTool({ name, arguments: args })) as ToolResult;
  expect([name, result.content.map(({ type }) => type)]).toEqual([name, ['text']]);
  expect([name, JSON.parse(result.content[0]!.text)]).toEqual([name, result.structuredContent]);
  return result;
}

/** Calls a tool that must succeed. */
export async function useTool(
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult['structuredContent']> {
  const { isError = false, structuredContent } = await callTool(client, name, args);
  expect([name, isError, structuredContent]).toEqual([name, false, expect.anything()]);
  return structuredContent;
}

/** Calls a tool that must fail with a hint. */
export async function refusalOf(
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ readonly error: string; readonly message: string; readonly hint: string }> {
  const { isError, structuredContent } = await callTool(client, name, args);
  const { error, message, hint } = structuredContent;
  expect({ name, isError, message, hint }).toEqual({
    name,
    isError: true,
    message: expect.stringMatching(/.{10}/),
    hint: expect.stringMatching(/.{10}/),
  });
  return { error, message, hint };
}

/** Calls a tool that needs a token without one. The hub responds with a 401, so that the host starts OAuth. */
export async function expectTurnedAway(client: AnyClient, name: string): Promise<void> {
  const refused = client.callTool({ name, arguments: {} });
  await expect(refused).rejects.toMatchObject({
    data: { status: 401, text: expect.stringMatching(/"error":"missing_token".*"hint":"./) },
  });
}
