/** Clients whose id is the URL of their metadata document, which the hub loads from a server of theirs. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { createIssuerDocuments } from '#api/issuer-documents.ts';
import { createClientDocuments } from '#api/oauth/client-documents.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { makeTestAuthority } from '#test/harness/certificates.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { startTestHub, type TestHub, useTestHub } from '#test/harness/hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { callMcp, callback, TestHost } from './test-host.ts';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const documentMaxBytes = 64 * 1024;
const callsPerAddressMax = 8;

const authority = makeTestAuthority();
type Serve = (path: string) => Response | Promise<Response>;

const hub = useTestHub({ tlsAuthorities: [authority.cert] });
let serve: Serve;
let requested: string[] = [];
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: authority.issue('IP:127.0.0.1'),
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    requested.push(pathname);
    return serve(pathname);
  },
});
const origin = `https://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));
beforeEach(() => {
  requested = [];
  serve = (path) => documentOf(path);
});

const metadataOf = (path: string) => ({
  client_id: origin + path,
  client_name: 'Documented host',
  redirect_uris: [callback],
  token_endpoint_auth_method: 'none',
});
function documentOf(path: string, changes: object = {}, init: ResponseInit = {}): Response {
  return Response.json({ ...metadataOf(path), ...changes }, init);
}
/** No two tests share a cached document. */
let documents = 0;
const newPath = () => `/client-${(documents += 1)}.json`;

async function ask(clientId: string, of: TestHub = hub): Promise<readonly [number, string | null]> {
  const response = await new TestHost(of, clientId).askFor();
  if (response.status === 303) return [303, null];
  const { error } = (await response.json()) as { error: string };
  return [response.status, error];
}
const accepted = [303, null] as const;
const refused = [400, 'invalid_client'] as const;

test('a client with a document gets a grant without a registration', async () => {
  const host = new TestHost(hub, origin + newPath());
  const agent = await createTestAgent(hub.ctx);
  const { access, refresh } = await host.connect(agent);
  expect((await callMcp(hub, '/mcp', access, 'get_me')).status).toBe(200);
  expect((await host.refresh(refresh)).status).toBe(200);
  expect(requested).toHaveLength(1);
});

describe('a document is refused', () => {
  test('if it redirects, and nothing calls the place that it names', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const path = newPath();
      serve = (at) =>
        at === path
          ? documentOf(path, {}, { status, headers: { location: `${origin}/elsewhere` } })
          : documentOf(path);
      expect([status, await ask(origin + path)]).toEqual([status, refused]);
    }
    expect(requested).not.toContain('/elsewhere');
    expect(requested).toHaveLength(5);
  });

  test('if it names another client id, has no name, or uses a shared secret', async () => {
    for (const changes of [
      { client_id: `${origin}/other.json` },
      { client_id: undefined },
      { client_name: undefined },
      { client_name: 7 },
      { token_endpoint_auth_method: 'client_secret_basic' },
      { token_endpoint_auth_method: 'client_secret_post' },
      { token_endpoint_auth_method: 'client_secret_jwt' },
      { client_secret: 'x' },
      { redirect_uris: undefined },
      { redirect_uris: ['javascript://x/%0aalert(1)'] },
      { grant_types: ['implicit'] },
    ]) {
      serve = (path) => documentOf(path, changes);
      expect([changes, await ask(origin + newPath())]).toEqual([changes, refused]);
    }
  });

  test('if it is not found, not JSON, or declared as something else', async () => {
    const json = { 'content-type': 'application/json' };
    for (const [name, response] of [
      ['missing', (path: string) => documentOf(path, {}, { status: 404 })],
      ['text', () => new Response('{', { headers: json })],
      ['list', () => new Response('[]', { headers: json })],
      ['nested', () => new Response('['.repeat(60_000), { headers: json })],
      ['page', (path: string) => documentOf(path, {}, { headers: { 'content-type': 'text/html' } })],
      [
        'suffix',
        (path: string) => documentOf(path, {}, { headers: { 'content-type': 'application/jsonp' } }),
      ],
    ] as const) {
      serve = response;
      expect([name, await ask(origin + newPath())]).toEqual([name, refused]);
    }
  });

  test('if it has more than 64 KiB, with or without a length', async () => {
    const padded = (path: string, bytes: number) => {
      const text = JSON.stringify({ ...metadataOf(path), padding: '' });
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
    };
    const headers = { 'content-type': 'application/json' };
    const tooMuch = (path: string) => padded(path, documentMaxBytes + 1);
    for (const [bodyOf, outcome] of [
      [(path: string) => padded(path, documentMaxBytes), accepted],
      [tooMuch, refused],
      [(path: string) => new Blob([tooMuch(path)]).stream(), refused],
    ] as const) {
      serve = (path) => new Response(bodyOf(path), { headers });
      expect(await ask(origin + newPath())).toEqual(outcome);
    }
  });

  test('if its address is not public, and no connection is opened', async () => {
    await using closed = await startTestHub({
      store: hub,
      redisUrl: hub.redisUrl,
      rules: { targetAddresses: createAddressPolicy([]) },
      tlsAuthorities: [authority.cert],
    });
    expect(await ask(origin + newPath(), closed)).toEqual(refused);
    expect(requested).toEqual([]);
  });

  test('if its address has no TLS, or another notation of the same address exists', async () => {
    const { host } = new URL(origin);
    for (const clientId of [
      `http://${host}/client.json`,
      origin,
      `${origin}/`,
      `${origin}/a/../client.json`,
      `${origin}/client.json#part`,
      `${origin}/client.json#`,
      `https://user@${host}/client.json`,
      `HTTPS://${host}/client.json`,
      `https://127.1:${server.port}/client.json`,
      `${origin}/${'x'.repeat(500)}`,
    ])
      expect([clientId, await ask(clientId)]).toEqual([clientId, refused]);
    expect(requested).toEqual([]);
  });

  test('if the certificate of its server is not for its host', async () => {
    expect(await ask(`https://localhost:${server.port}${newPath()}`)).toEqual(refused);
    expect(requested).toEqual([]);
  });
});

describe('a document is cached', () => {
  test('as long as its headers say, and for an hour at most; then changes count', async () => {
    for (const [header, keptMs] of [
      [null, hourMs],
      ['max-age=60', 60 * secondMs],
      ['public, max-age="60"', 60 * secondMs],
      ['max-age=999999999', hourMs],
    ] as const) {
      const path = newPath();
      const init = header === null ? {} : { headers: { 'cache-control': header } };
      serve = () => documentOf(path, {}, init);
      expect(await ask(origin + path)).toEqual(accepted);
      // The client withdraws the redirect URI.
      serve = () => documentOf(path, { redirect_uris: ['https://host.example/new'] }, init);
      hub.clock.advance(keptMs - 1);
      expect([header, await ask(origin + path)]).toEqual([header, accepted]);
      hub.clock.advance(1);
      expect([header, await ask(origin + path)]).toEqual([header, [400, 'invalid_redirect_uri']]);
      expect(requested.filter((at) => at === path)).toHaveLength(2);
    }
  });

  test('not at all if its headers forbid it, or if it was refused', async () => {
    for (const header of ['no-store', 'max-age=60, no-cache', 'max-age=0']) {
      const path = newPath();
      serve = () => documentOf(path, {}, { headers: { 'cache-control': header } });
      for (let n = 0; n < 2; n += 1) expect(await ask(origin + path)).toEqual(accepted);
      expect([header, requested.filter((at) => at === path).length]).toEqual([header, 2]);
    }
    const path = newPath();
    serve = () => documentOf(path, { client_name: undefined });
    expect(await ask(origin + path)).toEqual(refused);
    serve = () => documentOf(path);
    expect(await ask(origin + path)).toEqual(accepted);
  });
});

test('requests for one document share a load, and an address gets eight calls at once', async () => {
  const release = Promise.withResolvers<void>();
  serve = async (path) => {
    await release.promise;
    return documentOf(path);
  };
  const [path, ...others] = Array.from({ length: callsPerAddressMax + 1 }, newPath);
  const loading = [path, path, ...others].map((one) => ask(origin + one));
  await waitUntil(async () => requested.length === callsPerAddressMax);
  release.resolve();
  for (const reply of await Promise.all(loading)) expect(reply).toEqual(accepted);
  expect(requested).toHaveLength(1 + callsPerAddressMax);
});

describe('failing documents', () => {
  const hog = { network: 'hogs', agentId: 'hogs' };
  let released: PromiseWithResolvers<void>;
  beforeEach(() => {
    released = Promise.withResolvers<void>();
    serve = async (path) => {
      if (path.startsWith('/slow')) await released.promise;
      return documentOf(path);
    };
  });
  /** At addresses other than that of the honest caller's document. */
  const slots = { takeLimitedFor: () => async () => () => undefined };
  const options = {
    clock: createTestClock(),
    logger: silentLogger,
    addresses: createAddressPolicy(['loopback']),
    slots,
    userAgent: 'agent-hub-test',
    tlsAuthorities: [authority.cert],
  };

  const documentsWith = (changes: object = {}) =>
    createClientDocuments({ ...options, isPrivate: true, ...changes });
  const honest = { network: 'honest', agentId: 'honest' };

  test('of one network, however slow and many, keep no client of another out', async () => {
    const documents = documentsWith();
    const outcomes = Array.from({ length: 100 }, async (_, n) =>
      documents.get(`${origin}/slow-${n}.json`, hog).catch((error: unknown) => error),
    );
    expect(await documents.get(origin + newPath(), honest)).toMatchObject({ name: 'Documented host' });
    // At once, because the line is full.
    expect(await Promise.race(outcomes)).toMatchObject({ code: 'rate_limited' });
    released.resolve();
    await Promise.all(outcomes);
    documents.close();
  });

  test('of one network, however slow and many, keep no issuer of another out', async () => {
    const documents = createIssuerDocuments({ ...options, hosts: ['127.0.0.1'] });
    const did = (path: string) => `did:web:127.0.0.1%3A${server.port}:${path}`;
    const outcomes = Array.from({ length: 100 }, async (_, n) =>
      documents.askedBy(hog).find(did(`slow-${n}`)),
    );
    expect(await documents.askedBy(honest).find(did('quick'))).toMatchObject({
      client_name: 'Documented host',
    });
    expect(await Promise.race(outcomes)).toBeNull();
    released.resolve();
    await Promise.all(outcomes);
    documents.close();
  });

  test('of one who gets no turn at their address fail for nobody else who asks for them', async () => {
    const full = Promise.withResolvers<never>();
    const takeLimitedFor = ({ network }: typeof hog) =>
      network === 'hogs' ? () => full.promise : async () => () => undefined;
    const documents = documentsWith({ slots: { takeLimitedFor } });
    const path = origin + newPath();
    const first = documents.get(path, hog).catch((error: unknown) => error);
    const joined = ['one', 'other'].map((of) => documents.get(path, { network: of, agentId: of }));
    await Bun.sleep(50);
    full.reject(new Error('full'));
    expect(await first).toMatchObject({ message: 'full' });
    for (const { name } of await Promise.all(joined)) expect(name).toBe('Documented host');
    expect(requested).toHaveLength(joined.length);
    documents.close();
  });

  test('of one who gets no turn at their address delay others once, however many ask', async () => {
    const asked: PromiseWithResolvers<never>[] = [];
    const takeLimitedFor = () => () => {
      asked.push(Promise.withResolvers<never>());
      return asked.at(-1)!.promise;
    };
    const documents = documentsWith({ slots: { takeLimitedFor } });
    const path = origin + newPath();
    const outcomes = Array.from({ length: 5 }, async () =>
      documents.get(path, hog).catch((error: unknown) => error),
    );
    await waitUntil(async () => asked.length === 1);
    asked[0]!.reject(new Error('full'));
    await waitUntil(async () => asked.length === outcomes.length);
    for (const { reject } of asked) reject(new Error('full'));
    expect(await Promise.all(outcomes)).toMatchObject(outcomes.map(() => ({ message: 'full' })));
    documents.close();
  });

  test('leave no value of a query in the log', async () => {
    const { logger, lines } = createRecordingLogger();
    serve = () => new Response(null, { status: 404 });
    const documents = documentsWith({ logger });
    const lost = documents.get(`${origin}/secret-path.json`, hog);
    await expect(lost).rejects.toMatchObject({ code: 'invalid_client' });
    expect(lines).toMatchObject([{ host: new URL(origin).host, fault: 'bad_status' }]);
    expect(JSON.stringify(lines)).not.toContain('secret-path');
    documents.close();
  });

  test('of an issuer are asked for again', async () => {
    const documents = createIssuerDocuments({ ...options, hosts: ['127.0.0.1'] });
    const find = () => documents.askedBy(hog).find(`did:web:127.0.0.1%3A${server.port}:lost`);
    serve = () => Response.json({}, { status: 500 });
    expect(await find()).toBeNull();
    serve = () => Response.json({ id: 'found' });
    expect(await find()).toEqual({ id: 'found' });
    documents.close();
  });
});
