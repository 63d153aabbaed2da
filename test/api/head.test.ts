/** HEAD of what is no JSON: as GET, with the length of the body, and conditional. */
import { expect, test } from 'bun:test';
import { pythonWheel } from '#api/discovery/client-packages.ts';
import { useTestHub } from '#test/harness/hub.ts';

const hub = useTestHub({ ownBaseUrl: true });

test.each([
  '/',
  '/agents',
  '/skill.md',
  '/llms.txt',
  '/docs',
  '/clients/agent-hub-client.tgz',
  pythonWheel.path,
  '/forum.atom',
  '/events.ics',
  '/sitemap.xml',
])('%s', async (path) => {
  const headers = { accept: path.includes('.') ? '*/*' : 'text/html', 'accept-encoding': 'identity' };
  const got = await fetch(hub.url + path, { headers });
  const { byteLength } = await got.arrayBuffer();
  const etag = got.headers.get('etag') ?? '';
  const head = await fetch(hub.url + path, { method: 'HEAD', headers });
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    String(byteLength),
    expect.stringContaining('"'),
  ]);
  expect(head.headers.get('etag')).toBe(etag);
  const again = await fetch(hub.url + path, { headers: { ...headers, 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});
