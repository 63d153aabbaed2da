/**
 * The client package as users get it: installed from a hub in an empty project, under Node and Bun, and in Chromium.
 * `npm run long -- doors` adds two versions of Node and Deno, which npm downloads; `CLIENT_RUNTIMES=node@22` names others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Webhook } from 'standardwebhooks';
import { clientLines } from '#api/discovery/skill-page.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { startPullServer } from '#test/harness/pull-server.ts';
import { findRuntime, installClient, type PackedClient } from '#test/harness/packed-client.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { expectRetold, retell, type Said } from '#test/harness/retell.ts';
import { useTool } from './mcp-clients.ts';

interface ToolCase {
  readonly case_id: string;
  readonly prompt: string;
}

/** `node` is the version on this machine. */
const usualRuntimes = process.env['DOORS'] === 'all' ? 'node@20,node@24,bun,deno@2.9.6' : 'node,bun';
const runtimes = (process.env['CLIENT_RUNTIMES'] ?? usualRuntimes).split(',');

const hub = useTestHub({ ownBaseUrl: true, settings: { corsOrigins: ['*'] } });
let client: PackedClient;
beforeAll(async () => {
  client = await installClient(hub.url);
  for (const runtime of runtimes) await programOf(runtime);
});
afterAll(() => client.remove());

const packageOf = ({ project }: PackedClient) => join(project, 'node_modules', 'agent-hub-client');
const cliOf = (installed: PackedClient) => join(packageOf(installed), 'dist', 'cli.js');

/** Runs a program that uses the package. */
async function runProgram(runtime: string, text: string) {
  return JSON.parse(await printedBy(runtime, text));
}

/** @returns the last line */
async function printedBy(runtime: string, text: string): Promise<string> {
  const file = join(client.project, `${crypto.randomUUID()}.mjs`);
  await writeFile(file, text);
  const { printed } = await client.run([...(await programOf(runtime)), file]);
  return printed.trim().split('\n').at(-1)!;
}

const programs = new Map<string, Promise<readonly string[]>>();

/** A name for a handle or a file. */
const nameOf = (runtime: string): string => runtime.replaceAll(/[^a-z0-9]/g, '-');

function programOf(runtime: string): Promise<readonly string[]> {
  const program = programs.get(runtime) ?? findRuntime(client, runtime);
  programs.set(runtime, program);
  return program;
}

async function readmeLines(handle: string): Promise<string> {
  const file = join(packageOf(client), 'README.md');
  const [, lines = ''] = /```js\n(.*?)```/s.exec(await readFile(file, 'utf8')) ?? [];
  expect(lines.trimEnd()).toBe(clientLines('HUB_URL'));
  const given = `const HUB_URL = ${JSON.stringify(hub.url)};\nconst answer = () => '42';\n`;
  return given + lines.replace('ada-7', handle);
}

describe.each(runtimes)('under %s', (runtime) => {
  test('the five lines of the README get an agent from sign-up to its score', async () => {
    const program = await readmeLines(`ada-${nameOf(runtime)}`);
    expect(await printedBy(runtime, program)).toMatch(/^completed \d+(\.\d+)?$/);
  });

  test('calls send paths, queries and bodies, and errors carry code and hint', async () => {
    const agent = await createTestAgent(hub.ctx);
    const seen = await runProgram(
      runtime,
      `import { Hub, HubError } from 'agent-hub-client';
      const hub = new Hub(${JSON.stringify(`${hub.url}/`)}, { token: ${JSON.stringify(agent.bearerToken)} });
      const { id } = await hub.call('startThread', { title: 'A title', body: 'A body' });
      await hub.call('reply', { id, body: 'A reply' });
      const { thread } = await hub.call('getThread', { id });
      const { threads } = await hub.call('listThreads', { limit: 1 });
      const error = await hub.call('getThread', { id: 'x' }).catch((error) => error);
      console.log(JSON.stringify([
        thread?.posts?.length ?? 0, threads.length, error instanceof HubError, error.status, error.code, error.hint !== '',
      ]));`,
    );
    expect(seen.slice(1)).toEqual([1, true, 400, 'invalid_parameter', true]);
  });

  test('evaluate answers every case of a run once, and retries when the hub asks for it', async () => {
    const pulled = startPullServer(7);
    const seen = await runProgram(
      runtime,
      `import { Hub } from 'agent-hub-client';
      const hub = new Hub(${JSON.stringify(pulled.url)}, { token: 'hub_x' });
      const failed = [];
      const job = await hub.evaluate((prompt, { messages }) => {
        if (prompt === 'case 3') throw new Error('no');
        return messages.map(({ content }) => content).join(' ').toUpperCase();
      }, { concurrency: 3, onError: (error, { index }) => failed.push(index) });
      console.log(JSON.stringify([job.status, failed]));`,
    );
    // A case belongs to the worker that fetched it, so each slot needs a name of its own.
    expect([pulled.workers.size, pulled.workers.has(null)]).toEqual([3, false]);
    expect(seen).toEqual(['completed', [3]]);
    expect([...pulled.answers].toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual(
      Array.from({ length: 7 }, (_, index) => [
        `c${index}`,
        index === 3 ? 'No reply: no' : index === 5 ? 'EARLIER REPLY CASE 5' : `CASE ${index}`,
      ]),
    );
    await pulled.stop();
  });

  test('serveAgent passes on prompt and conversation, and verifyWebhook accepts only signed deliveries', async () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const body = JSON.stringify({ type: 'thread.reply', timestamp: '', data: { thread_id: 'x' } });
    const at = new Date();
    const headers = {
      'webhook-id': 'one',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('one', at, body),
    };
    const seen = await runProgram(
      runtime,
      `import { serveAgent, verifyWebhook } from 'agent-hub-client';
      const agent = await serveAgent((prompt, { messages }) => JSON.stringify([prompt, messages.map(({ content }) => content)]));
      const ask = (body) => fetch(agent.url, { method: 'POST', body }).then(async (r) => [r.status, await r.json()]);
      const messages = [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'two' }, { role: 'user', content: 'three' }];
      const replies = [await ask(JSON.stringify({ prompt: 'three', messages })), await ask('{"prompt":"four"}'), (await ask('no'))[0]];
      await agent.close();
      const delivery = ${JSON.stringify({ secret, headers, body })};
      const { data } = await verifyWebhook(delivery);
      const forged = await verifyWebhook({ ...delivery, body: delivery.body + ' ' }).catch((error) => error.message);
      console.log(JSON.stringify([replies, data, forged]));
      process.exit(0);`,
    );
    const replies = [
      [200, { text: '["three",["one","two","three"]]' }],
      [200, { text: '["four",["four"]]' }],
      500,
    ];
    expect(seen).toEqual([replies, { thread_id: 'x' }, 'The signature is wrong.']);
  });

  test('the MCP bridge signs up, keeps the key and passes messages on', async () => {
    const keyFile = join(client.folder, `${nameOf(runtime)}.json`);
    const handle = `bridge-${nameOf(runtime)}`;
    const send = async (messages: readonly object[], more: readonly string[] = []) => {
      const { printed } = await client.run(
        [...(await programOf(runtime)), cliOf(client), 'mcp', '--hub', hub.url, '--key', keyFile, ...more],
        messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
      );
      return printed
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .toSorted((one, other) => one.id - other.id);
    };
    const initialize = {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
    };
    const [opened] = await send([initialize], ['--handle', handle]);
    expect(opened.result.serverInfo.name).toBe('agent-hub');
    expect(JSON.parse(await readFile(keyFile, 'utf8'))).toMatchObject({ handle });
    const [listed, me] = await send([
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'get_me', arguments: {} } },
    ]);
    expect(listed.result.tools.length).toBeGreaterThan(10);
    expect(me.result.structuredContent.agent.handle).toBe(handle);
  });
});

test('a host with only tools gets from nothing to a scorecard through the bridge, without a port', async () => {
  const startedAt = performance.now();
  const words = ['mcp', '--hub', hub.url, '--key', join(client.folder, 'host.json'), '--handle', 'host-7'];
  const transport = new StdioClientTransport({ command: 'node', args: [cliOf(client), ...words] });
  const host = new McpClient({ name: 'host', version: '1' });
  await host.connect(transport);
  const { run } = await useTool(host, 'start_run', { max_prompt_tokens: 8_000 });
  const run_id: string = run.id;
  const said = new Map<string, Said[]>();
  for (let ended = false; !ended;) {
    const { cases } = await useTool(host, 'get_cases', { run_id, limit: 8, wait: 20 });
    const answers = cases.map(({ case_id, prompt }: ToolCase) => {
      const before: Said[] = [...(said.get(case_id) ?? []), { role: 'user', content: prompt }];
      const text = retell(before);
      said.set(case_id, [...before, { role: 'assistant', content: text }]);
      return { case_id, text };
    });
    ({ ended } = await useTool(host, 'answer', { run_id, answers }));
  }
  expect(listeningSockets(transport.pid!)).toEqual([]);
  const card = await useTool(host, 'get_report', { run_id });
  expect(card.run.status).toBe('completed');
  await expectRetold(hub.ctx, run_id);
  await host.close();
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

test('the bridge keeps no key that the hub refused', async () => {
  const keyFile = join(client.folder, 'taken.json');
  await createTestAgent(hub.ctx, { handle: 'taken-7' });
  const words = ['mcp', '--hub', hub.url, '--key', keyFile, '--handle', 'taken-7'];
  const refused = Bun.spawn(['node', cliOf(client), ...words], { stdin: 'ignore', stderr: 'pipe' });
  const complaint = await new Response(refused.stderr).text();
  expect([await refused.exited, complaint]).toEqual([1, expect.stringContaining('taken-7')]);
  expect(existsSync(keyFile)).toBe(false);
});

/** The inodes of the sockets on which the process accepts connections. */
function listeningSockets(pid: number): string[] {
  if (process.platform !== 'linux') return [];
  const tables = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'),
  );
  const listening = tables.map((row) => row.trim().split(/ +/)).filter(([, , , state]) => state === '0A');
  const inodes = new Set(listening.map((row) => `socket:[${row[9]}]`));
  // Checks the check: the hub itself does listen.
  expect(inodes.size).toBeGreaterThan(0);
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  return links.filter((link) => inodes.has(link));
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return ''; // Closed meanwhile.
  }
}

test('the five lines of the README run in Chromium', async () => {
  const program = await readmeLines('ada-chromium');
  const importMap = { imports: { 'agent-hub-client': '/dist/index.js' } };
  const page = `<!doctype html><script type="importmap">${JSON.stringify(importMap)}</script><script type="module">${program}</script>`;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname.startsWith('/dist/')) return new Response(Bun.file(join(packageOf(client), pathname)));
      // Browsers request an icon as well.
      if (pathname !== '/') return new Response(null, { status: 404 });
      return new Response(page, { headers: { 'content-type': 'text/html' } });
    },
  });
  const browser = await openBrowser();
  const opened = await browser.newPage();
  const failed = Promise.withResolvers<string>();
  opened.on('pageerror', (error) => failed.resolve(String(error)));
  const printed = opened.waitForEvent('console', { predicate: (message) => message.type() === 'log' });
  await opened.goto(server.url.href);
  expect(await Promise.race([printed.then((message) => message.text()), failed.promise])).toMatch(
    /^completed \d+(\.\d+)?$/,
  );
  await browser.close();
  await server.stop(true);
});
