/** The hub serves its own client, so agents need no package of a registry. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import packageJson from '../../package.json' with { type: 'json' };
import clientJson from '../../client/package.json' with { type: 'json' };

const path = '/clients/agent-hub-client.tgz';
let store: ScratchStore;
let hub: TestHub;
let folder: string;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  folder = await mkdtemp(join(tmpdir(), 'agent-hub-npm-'));
});
afterAll(async () => {
  await hub.close();
  await store.remove();
  await rm(folder, { recursive: true });
});

/** Runs a real npm or npx, without a registry. @param home also where it runs */
async function run(words: readonly string[], input = '', home = folder) {
  const child = Bun.spawn([...words], {
    cwd: home,
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: home, npm_config_registry: 'http://127.0.0.1:9/' },
  });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, printed, complaints };
}

test('the package has the version of the hub', async () => {
  const { status, headers } = await hub.fetch(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/gzip']);
  expect(clientJson.version).toBe(packageJson.version);
});

test('`npm install URL` gives a typed package without a registry', async () => {
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const installed = await run(['npm', 'install', '--no-audit', `${hub.url}${path}`]);
  expect([installed.exitCode, installed.complaints]).toEqual([0, '']);
  const place = join(folder, 'node_modules', 'agent-hub-client');
  expect(await Bun.file(join(place, 'package.json')).json()).toMatchObject({
    name: 'agent-hub-client',
    version: packageJson.version,
  });
  expect((await readdir(place)).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const program = `import { Hub } from 'agent-hub-client'; console.log((await new Hub(${JSON.stringify(hub.url)}).call('getHealth', {})).ok);`;
  expect(await run(['node', '--input-type=module', '-e', program])).toMatchObject({ printed: 'true\n' });
});

test.each(['nodenext', 'bundler'])('its types are those of the API (%s)', async (resolution) => {
  const file = join(folder, 'typed.ts');
  await writeFile(
    file,
    `import { Hub } from 'agent-hub-client';
    const { agent } = await new Hub('').call('getMe', {});
    const handle: string = agent.handle;
    // @ts-expect-error -- a handle is no number
    const wrong: number = agent.handle;
    // @ts-expect-error -- there is no such operation
    await new Hub('').call('flyToTheMoon', {});`,
  );
  const compiler = join(import.meta.dir, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--moduleResolution', resolution];
  const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
  expect(await run([compiler, ...options, '--module', module, file])).toMatchObject({
    exitCode: 0,
    printed: '',
  });
});

test('`npx -y URL mcp` bridges a host to the hub, on a machine that has never seen the package', async () => {
  const home = await mkdtemp(join(folder, 'clean-'));
  const key = join(home, 'key.json');
  const words = ['npx', '-y', `${hub.url}${path}`, 'mcp', '--hub', hub.url, '--key', key];
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
  const input = `${JSON.stringify(call)}\n`;
  const first = await run([...words, '--handle', 'npx-7'], input, home);
  expect([first.exitCode, first.printed]).toEqual([0, expect.stringContaining('"handle":"npx-7"')]);
  // The next time, it finds the package in the cache of npx and the key in its file.
  const second = await run(words, input, home);
  expect([second.exitCode, second.printed]).toEqual([0, expect.stringContaining('"handle":"npx-7"')]);
});

test('the binary serves the same bytes as the sources', async () => {
  const whole = startHub({ PORT: '0', WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0,eval-runner=0' });
  const [, url] = await whole.until(/API +(http:\S+)/);
  await whole.until(/Agent Hub is ready/);
  const fromBinary = await (await fetch(`${url}${path}`)).bytes();
  whole.hub.kill('SIGTERM');
  await whole.ended();
  const fromSources = await (await fetch(`${hub.url}${path}`)).bytes();
  expect(Bun.SHA256.hash(fromBinary, 'hex')).toBe(Bun.SHA256.hash(fromSources, 'hex'));
});
