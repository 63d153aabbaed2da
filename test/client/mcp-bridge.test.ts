/** The MCP bridge answers each request of its host, whatever the hub or a proxy before it responds. */
import { afterAll, expect, test } from 'bun:test';
import { createKey } from '#client/keys.ts';
import { createBridge } from '#client/mcp-bridge.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';

let respond: (() => Response) | null = null;
const proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: passOn });
const url = `http://127.0.0.1:${proxy.port}`;
const hub = useTestHub({ rules: { baseUrl: url } });
afterAll(() => proxy.stop(true));

async function passOn(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/mcp' && respond !== null) return respond();
  const { method, headers } = request;
  return fetch(hub.url + pathname, { method, headers, ...(method === 'GET' ? {} : { body: request.body }) });
}

let handles = 0;
/** Of an agent that signs up with its first message. */
async function openBridge() {
  handles += 1;
  const bridge = createBridge(url, { ...(await createKey()), handle: `bridged-${handles}` });
  return async (message: unknown) =>
    (await bridge.handle(typeof message === 'string' ? message : JSON.stringify(message))).map((line) =>
      JSON.parse(line),
    );
}

const balance = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'get_balance', arguments: {} },
});
const succeeded = (id: number) =>
  expect.objectContaining({ id, result: expect.objectContaining({ structuredContent: expect.anything() }) });
test('what is no JSON is refused as the protocol says', async () => {
  const send = await openBridge();
  expect(await send('no JSON')).toMatchObject([{ id: null, error: { code: -32_700 } }]);
});

test('after its token was revoked, the bridge logs in again, once for all messages', async () => {
  const send = await openBridge();
  expect(await send(balance(1))).toEqual([succeeded(1)]);
  await changeRows(hub, 'bearerTokens', {}, { revokedAt: hub.clock.now() });
  expect(await Promise.all([2, 3, 4].map((id) => send(balance(id))))).toEqual(
    [2, 3, 4].map((id) => [succeeded(id)]),
  );
  expect(await rowsOf(hub, 'bearerTokens', { revokedAt: null })).toHaveLength(1);
});

const refusal = { error: 'rate_limited', message: 'Too many.', hint: 'Wait.' };
const ofProtocol = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Unsupported version.' } };

test.each<[string, () => Response, string]>([
  ['a refusal of the hub', () => Response.json(refusal, { status: 429 }), 'Too many. Wait.'],
  ['a token that is refused again', () => Response.json(refusal, { status: 401 }), 'Too many. Wait.'],
  [
    'an error of the protocol without an id',
    () => Response.json(ofProtocol, { status: 400 }),
    'Unsupported version.',
  ],
  [
    'a page of a proxy',
    () => new Response('<p>Bad gateway', { status: 502 }),
    'The hub responded with status 502.',
  ],
  ['a page that looks well', () => new Response('<p>Log in'), 'The hub responded with status 200.'],
  ['nothing', () => new Response(null, { status: 202 }), 'The hub responded with status 202.'],
  [
    'an empty stream',
    () => new Response('', { headers: { 'content-type': 'text/event-stream' } }),
    'The hub responded with status 200.',
  ],
])('%s becomes an error with the id of each request', async (_, response, message) => {
  const send = await openBridge();
  expect(await send(balance(1))).toEqual([succeeded(1)]);
  respond = response;
  try {
    const error = { code: -32_603, message };
    expect(await send(balance(2))).toEqual([{ jsonrpc: '2.0', id: 2, error }]);
    expect(await send([balance(3), { jsonrpc: '2.0', method: 'notifications/x' }])).toEqual([
      { jsonrpc: '2.0', id: 3, error },
    ]);
    expect(await send({ jsonrpc: '2.0', method: 'notifications/x' })).toEqual([]);
  } finally {
    respond = null;
  }
});
