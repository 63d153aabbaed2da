/** The checkout redirect, against a real HTTP provider on this machine. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';

interface Asked {
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly body: unknown;
}

const token = 'checkout-token-1';
let asked: Asked[] = [];
let answer: () => Response | Promise<Response> = () => Response.json({ url: 'https://pay.example.org/s/1' });
const provider = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    asked.push({
      authorization: request.headers.get('authorization'),
      contentType: request.headers.get('content-type'),
      body: await request.json(),
    });
    return answer();
  },
});

const checkoutApiUrl = `http://127.0.0.1:${provider.port}/sessions`;
const hub = useTestHub({ settings: { checkoutApiUrl, checkoutAccessToken: token } });

afterEach(() => {
  asked = [];
});
afterAll(() => provider.stop(true));

test('opens a session at the provider and redirects the client there', async () => {
  answer = () => Response.json({ id: 's1', url: 'https://pay.example.org/größe?a=1&b=%20#c' });
  const query = 'products=one&products=t%C3%BCwo&externalCustomerId=c-7&customerEmail=ada%2B1%40example.org';
  const { status, headers, text } = await hub.fetch(`/checkout?${query}&utm_source=x`);
  const location = 'https://pay.example.org/gr%C3%B6%C3%9Fe?a=1&b=%20#c';
  expect([status, headers.get('location'), text]).toEqual([302, location, '']);
  expect(headers.get('cache-control')).toBe('no-store');
  const customer = { external_customer_id: 'c-7', customer_email: 'ada+1@example.org' };
  const body = { products: ['one', 'tüwo'], ...customer };
  expect(asked).toEqual([{ authorization: `Bearer ${token}`, contentType: 'application/json', body }]);
});

test('omits parameters that the client omitted', async () => {
  answer = () => Response.json({ url: 'https://pay.example.org/s/1' });
  expect((await hub.fetch('/checkout?products=one')).status).toBe(302);
  expect(asked.map(({ body }) => body)).toEqual([{ products: ['one'] }]);
});

test('an invalid email address is 400, without a call to the provider', async () => {
  const injected = 'ada%40example.org%0D%0ABcc%3Ab%40example.org';
  for (const address of ['ada', injected, 'a%40example.org,b%40example.org']) {
    const response = await hub.fetch(`/checkout?products=one&customerEmail=${address}`);
    expectError(response, 400, 'invalid_parameter');
  }
  const { body } = await hub.fetch('/checkout');
  expect(body.message).toBe('`products` is required but missing.');
  expect(asked).toEqual([]);
});

const faults: Record<string, () => Response> = {
  'status 500': () => Response.json({ url: 'https://pay.example.org' }, { status: 500 }),
  'status 401': () => Response.json({}, { status: 401 }),
  'a redirect': () => Response.redirect('https://pay.example.org', 302),
  'no JSON': () => new Response('<html>'),
  'no address': () => Response.json({}),
  'a URL that is not a string': () => Response.json({ url: { href: 'https://pay.example.org' } }),
  'a list': () => Response.json(['https://pay.example.org']),
  http: () => Response.json({ url: 'http://pay.example.org' }),
  javascript: () => Response.json({ url: 'javascript:alert(1)' }),
  'no scheme': () => Response.json({ url: '//pay.example.org' }),
  'a URL that is too long': () => Response.json({ url: `https://pay.example.org/${'x'.repeat(4_000)}` }),
  'a URL that is too long once it is ASCII': () =>
    Response.json({ url: `https://pay.example.org/${'ü'.repeat(1_000)}` }),
  'a response that is too long': () =>
    Response.json({ url: 'https://pay.example.org', more: 'x'.repeat(64 * 1024) }),
};

test.each(Object.keys(faults))('a provider that responds with %s is 502', async (fault) => {
  answer = faults[fault]!;
  const response = await hub.fetch('/checkout?products=one');
  expectError(response, 502, 'checkout_failed');
  expect(response.headers.get('location')).toBeNull();
  expect(response.text).not.toContain('pay.example.org');
  expect(asked).toHaveLength(1);
});

test('line breaks in the URL of the provider cannot become headers', async () => {
  answer = () => Response.json({ url: 'https://pay.example.org/a\r\nset-cookie: a=b' });
  const { status, headers } = await hub.fetch('/checkout?products=one');
  expect([status, headers.get('location'), headers.get('set-cookie')]).toEqual([
    302,
    'https://pay.example.org/aset-cookie:%20a=b',
    null,
  ]);
});

test('an unreachable provider is 502, and no response contains its token', async () => {
  const gone = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const checkoutApiUrl = `http://127.0.0.1:${gone.port}/`;
  await gone.stop(true);
  const settings = { checkoutApiUrl, checkoutAccessToken: token };
  await using other = await startTestHub({ store: hub, settings });
  const response = await other.fetch('/checkout?products=one');
  expectError(response, 502, 'checkout_failed');
  expect(response.text).not.toContain(token);
});

test('without both settings every request is 503, and the health endpoint says so', async () => {
  const settings = { checkoutApiUrl: 'https://api.example.org', checkoutAccessToken: token };
  const half = [{}, { ...settings, checkoutApiUrl: null }, { ...settings, checkoutAccessToken: null }];
  for (const incomplete of half) {
    await using closed = await startTestHub({ store: hub, settings: incomplete });
    expectError(await closed.fetch('/checkout?products=one'), 503, 'checkout_not_configured');
    expectError(await closed.fetch('/checkout'), 503, 'checkout_not_configured');
    expect((await closed.fetch('/v1/health')).body.payments.checkout).toBe(false);
  }
  expect((await hub.fetch('/v1/health')).body.payments.checkout).toBe(true);
});
