/** Images of suites at every door: published, fetched, shown on pages, and hidden with the cases. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { connectModern, type ToolResult } from '#test/doors/mcp-clients.ts';
import { type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { dataUrl, imageOf, png, pngUrl } from '#test/harness/images.ts';
import { changeRows } from '#test/harness/rows.ts';
import { orderSuiteRun } from '#test/harness/suites.ts';
import { signInByForm } from '#test/site/tour/sign-in.ts';

const sha256 = createHash('sha256').update(png).digest('hex');
const odd = '<img src=x onerror=alert(1)>.png';
function suite(name: string, image = odd): string {
  const messages = [{ role: 'user', content: 'What is it?', images: [image] }];
  return JSON.stringify({ suite: 1, name, cases: [{ id: 'cat', messages, expect: [{ contains: 'cat' }] }] });
}

const hub = useTestHub({ rules: { baseUrl: 'http://127.0.0.1' } });
const ada = useTestAgent(hub, { tokens: 20 });
const bob = useTestAgent(hub, { tokens: 20 });
const post = (path: string, json: object) => hub.fetch(path, { token: ada.bearerToken, json });
const publish = (name: string, files: object = { [odd]: pngUrl }) =>
  post('/v1/suites', { text: suite(name), format: 'json', files });
const pathOf = (name: string, hash = sha256) => `/v1/suites/@${ada.handle}/${name}/images/${hash}`;
const patch = (name: string, json: object) =>
  hub.fetch(`/v1/suites/@${ada.handle}/${name}`, { method: 'PATCH', token: ada.bearerToken, json });
const get = (path: string, agent: TestAgent | null = ada, headers: Record<string, string> = {}) =>
  hub.fetch(path, { token: agent?.bearerToken, headers });

test('a suite with images is published with its files, and each image has an address', async () => {
  expect((await post('/v1/suites', JSON.parse(suite('paths')))).body.missing).toEqual([odd]);
  expect((await publish('paths')).status).toBe(201);
  const { size } = (await get(`/v1/suites/@${ada.handle}/paths`)).body.suite;
  expect(size).toMatchObject({ cases_with_images: 1 });
  const image = await get(pathOf('paths'));
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(image.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(image.headers.get('x-content-type-options')).toBe('nosniff');
  expectError(await get(pathOf('paths', 'f'.repeat(64))), 404, 'not_found');
  expectError(await get(pathOf('paths', 'x')), 400, 'invalid_parameter');
  for (const visibility of ['private', 'hidden']) {
    await patch('paths', { visibility });
    for (const agent of [bob, null]) expectError(await get(pathOf('paths'), agent), 404, 'not_found');
  }
  await patch('paths', { visibility: 'open' });
  expect((await get(pathOf('paths'), null)).status).toBe(200);
  const hide = (hiddenAt: Date | null) => changeRows(hub, 'suites', { name: 'paths' }, { hiddenAt });
  await hide(new Date());
  expectError(await get(pathOf('paths'), bob), 410, 'content_hidden');
  await hide(null);
});

test('no URL is fetched, no SVG is taken, and bodies are bounded', async () => {
  for (const image of [`${hub.url}/favicon.svg`, 'https://example.com/a.png', 'file:///etc/passwd']) {
    const refused = await post('/v1/suites', JSON.parse(suite('odd', image)));
    expectError(refused, 400, 'invalid_suite');
    expect(refused.body.faults[0].message).toContain('the hub fetches no images');
  }
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');
  const svg = dataUrl(drawing, 'image/svg+xml');
  expectError(await publish('odd', { [odd]: svg }), 400, 'invalid_suite');
  const large = dataUrl(imageOf(5 * 1024 * 1024, 1));
  expect((await publish('large', { [odd]: large })).status).toBe(201);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.png`, large]));
  expectError(await publish('odd', { [odd]: large, ...many }), 413, 'body_too_large');
});

test('an agent that fetches its cases gets the images; reports and shared pages only name them', async () => {
  await publish('pulled');
  const as = actingAs(hub.ctx, ada);
  const run = await orderSuiteRun(as, `@${ada.handle}/pulled`);
  const { cases } = (await get(`/v1/runs/${run.id}/cases/next`)).body;
  expect(cases[0].messages).toEqual([{ role: 'user', content: 'What is it?', images: [pngUrl] }]);
  const answers = [{ case_id: 'cat', step: 0, text: 'a cat' }];
  await post(`/v1/runs/${run.id}/answers`, { answers });
  const named = `[${odd} (PNG, 1 KiB)]`;
  const report = async (format: string) => (await get(`/v1/runs/${run.id}/report?format=${format}`)).text;
  expect(JSON.parse(await report('inspect')).samples[0].input).toBe(`What is it?\n${named}`);
  expect(await report('otlp')).toContain(pathOf('pulled'));
  const shared = await post(`/v1/runs/${run.id}/share`, { prompts: true });
  const page = await get(new URL(shared.body.share.url).pathname, null, { accept: 'text/html' });
  expect(page.text).toContain('onerror=alert(1)>.png (PNG, 1 KiB)]');
  expect(page.text).not.toContain(sha256);
});

test('models see the images of a case over MCP beside its text', async () => {
  await publish('shown');
  const run = await orderSuiteRun(actingAs(hub.ctx, ada), `@${ada.handle}/shown`);
  await using client = await connectModern(new URL('/mcp', hub.url), ada.bearerToken);
  // It has more than the one text of other tools.
  const result = await client.callTool({ name: 'get_cases', arguments: { run_id: run.id } });
  const [text, ...images] = (result as ToolResult).content;
  expect(images).toEqual([{ type: 'image', mimeType: 'image/png', data: png.toString('base64') } as never]);
  expect(JSON.stringify(text)).not.toContain('base64');
});

test('the page of the suite shows thumbnails to those who may read its cases, and names as texts', async () => {
  await publish('paged');
  const page = `/suites/@${ada.handle}/paged?version=1`;
  const cookie = await signInByForm(hub, ada);
  const html = (await get(page, null, { cookie, accept: 'text/html' })).text;
  const [, source = ''] = /<img src="([^"]+)"/.exec(html) ?? [];
  expect(source).toBe(`/suites/@${ada.handle}/paged/images/${sha256}`);
  expect(html).toContain('&lt;img src=x onerror=alert(1)>.png (PNG, 1 KiB)');
  expect((await get(source, null, { cookie })).headers.get('content-type')).toBe('image/png');
  expectError(await get(source, null), 404, 'not_found');
  for (const [part, odd] of [
    [ada.handle, '%00'],
    ['paged', '%00'],
    [sha256, 'x'],
  ] as const)
    expectError(await get(source.replace(part, odd)), 400, 'invalid_parameter');
});
