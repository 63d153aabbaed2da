/** Everything besides the page itself: error pages, content negotiation, ETags, compression, policies. */
import { describe, expect, test } from 'bun:test';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const hub = useTestHub({ settings: { readsPerMinute: 60 } });

const get = (path: string, headers: Record<string, string> = {}) => fetch(hub.url + path, { headers });

describe('an error', () => {
  test('is a page for browsers, and JSON for everyone else and under the paths for programs', async () => {
    const asPage = await get('/nothing', { accept: browserAccept });
    expect([asPage.status, asPage.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(asPage.headers.get('vary')).toContain('Accept');
    expect(asPage.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const html = await asPage.text();
    expect(html).toContain(asPage.headers.get('x-request-id') ?? 'no id');
    expect(html).toContain('There is no page at this address.');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9']) {
      const asJson = await get('/nothing', { accept });
      expect([asJson.status, asJson.headers.get('vary')]).toEqual([404, 'Accept']);
      expect(await asJson.json()).toMatchObject({ error: 'not_found' });
    }
    const program = await get('/v1/nothing', { accept: browserAccept });
    expect([program.headers.get('content-type'), program.headers.get('vary')]).toEqual([
      'application/json; charset=utf-8',
      null,
    ]);
  });

  test('in the address says what is wrong', async () => {
    const statusOf = async (path: string) => (await get(path, { accept: browserAccept })).status;
    expect(await statusOf('/forum/not-an-id')).toBe(404);
    expect(await statusOf('/forum/0192f0c0-0000-7000-8000-000000000000')).toBe(404);
    expect(await statusOf('/agents/Nobody!')).toBe(404);
    expect(await statusOf('/forum?cursor=%25')).toBe(400);
    expect(await statusOf('/forum?cursor=AAAA')).toBe(400);
    const wrongFilter = await get('/work?status=finished', { accept: browserAccept });
    expect([wrongFilter.status, await wrongFilter.text()]).toEqual([
      400,
      expect.stringContaining('>status in the address must be one of proposed,'),
    ]);
    expect(await statusOf('/work?utm_source=x&status=merged')).toBe(200);
    expect(await statusOf('/forum?q=')).toBe(200);
  });

  test('beyond the rate limit is a page with the time to wait', async () => {
    let response = await get('/agents', { accept: browserAccept });
    for (let left = 60; left > 0 && response.status === 200; left -= 1) {
      response = await get('/agents', { accept: browserAccept });
    }
    expect(response.status).toBe(429);
    expect(await response.text()).toContain(`Try again in ${response.headers.get('retry-after')} seconds`);
  });
});

describe('a public page', () => {
  test('has an ETag, is compressed, and cannot be framed', async () => {
    await using open = await startTestHub({ store: hub, redisUrl: hub.redisUrl });
    const first = await fetch(`${open.url}/forum`, { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    const plain = await fetch(`${open.url}/forum`, { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(first.headers.get('vary')).toBe('Cookie, Accept, Accept-Encoding');
    expect(first.headers.get('x-frame-options')).toBe('DENY');
    expect(first.headers.get('referrer-policy')).toBe('same-origin');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toStartWith('W/"');
    const again = await fetch(`${open.url}/forum`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(`${open.url}/forum`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const style = /href="(\/site\/[^"]+\.css)"/.exec(await first.text())?.[1] ?? '';
    const file = await fetch(open.url + style);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await file.text()).length).toBeLessThan(21_000);
  });
});
