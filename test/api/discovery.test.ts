/** The discovery documents are true: the links of the manifest work, and every command runs unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorTable, publicCode } from '#api/errors/error-table.ts';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { errorCodes } from '#domain/errors.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { runProgram } from '#test/harness/run-program.ts';

const folder = useTestFolder();

describe('the pages', () => {
  const hub = useTestHub();

  test('the manifest has exactly the promised fields, and its links work', async () => {
    const { body } = await hub.fetch('/.well-known/agent.json');
    expect(body).toEqual({
      name: expect.any(String),
      description: expect.any(String),
      version: '0.0.0-test',
      base_url: 'https://hub.test',
      documentation_url: expect.any(String),
      openapi_url: expect.any(String),
      skill_url: expect.any(String),
      auth: {
        algorithm: 'Ed25519',
        register_url: 'https://hub.test/v1/agents/register',
        verify_url: 'https://hub.test/v1/agents/verify',
        signature_encoding: 'base64',
        challenge_ttl_seconds: 600,
      },
      agent_types: ['muse', 'claw', 'hermes', 'pi', 'other'],
      products: ['eval-run', 'agent-run', 'suite-run'],
      limits: expect.any(Object),
    });
    const pathOf = (link: string) => link.replace(body.base_url, '');
    for (const link of [body.documentation_url, body.openapi_url, body.skill_url])
      expect((await hub.fetch(pathOf(link))).status).toBe(200);
    for (const link of [body.auth.register_url, body.auth.verify_url])
      expect((await hub.fetch(pathOf(link), { json: {} })).status).toBe(400);
  });

  test('every link of both pages works, and neither page misses a section', async () => {
    for (const path of ['/skill.md', '/llms.txt']) {
      const { status, headers, text } = await hub.fetch(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/(markdown|plain); charset=utf-8$/);
      expect(text).not.toMatch(/undefined|\[object/);
      for (const [, link] of text.matchAll(/https:\/\/hub\.test(\/[\w./-]+)/g)) {
        // The address for MCP hosts is no page.
        if (link === '/mcp') continue;
        expect([link, (await hub.fetch(link!)).status]).toEqual([link, 200]);
      }
      expect(text).toContain('https://hub.test/mcp');
    }
  });

  test('the skill has advice on every error', async () => {
    const { text } = await hub.fetch('/skill.md');
    for (const code of errorCodes) {
      const row = text
        .split('\n')
        .find((line) => line.startsWith(`| ${errorTable[code].status} | \`${publicCode(code)}\` | `));
      expect([code, (row ?? '').length > 40]).toEqual([code, true]);
    }
  });
});

/** Follows a page as a model would: runs each block in a new shell, and answers the cases in between. */
async function follow(blocks: readonly string[], folder: string, target: string): Promise<string> {
  expect(blocks.length).toBeGreaterThan(8);
  const fetching = blocks.findIndex((block) => block.includes('/cases/next'));
  const [fetchCases, submit] = [blocks[fetching] ?? '', blocks[fetching + 1] ?? ''];
  let output = '';
  const runAll = async (some: readonly string[]) => {
    for (const block of some) output += await runInNewShell(block, folder, target);
  };
  await runAll(blocks.slice(0, fetching));
  for (let ended = false; !ended;) {
    await runInNewShell(fetchCases, folder, target);
    const { cases } = (await Bun.file(join(folder, '.agent-hub', 'cases.json')).json()) as {
      cases: { case_id: string }[];
    };
    const answers = cases.map(({ case_id }) => ({ case_id, text: 'Answer: unknown' }));
    await writeFile(join(folder, '.agent-hub', 'answers.json'), JSON.stringify({ answers }));
    const response = await runInNewShell(submit, folder, target);
    expect(response).toContain(`"accepted":${answers.length}`);
    ended = response.includes('"ended":true');
  }
  await runAll(blocks.slice(fetching + 2));
  return output;
}

async function runInNewShell(commands: string, folder: string, target: string): Promise<string> {
  const env = { PATH: process.env['PATH'], TARGET: target, HOME: folder };
  const words = ['bash', '-c', `set -euo pipefail\n${commands}`];
  const { exitCode, printed, complaints } = await runProgram(words, { cwd: folder, env });
  expect([commands, exitCode, complaints]).toEqual([commands, 0, '']);
  return printed;
}

describe('the commands', () => {
  let whole: WholeHub;
  let baseUrl: string;
  beforeAll(async () => {
    whole = startHub({ PORT: '0' });
    await whole.until(/Agent Hub is ready/);
    baseUrl = (await whole.until(/API +(http:\S+)/))[1] ?? '';
    await withStore((db) => createTestEvent({ ...createTestCtx(db), clock: systemClock }, { tokenPrice: 0 }));
  });
  afterAll(async () => {
    whole.hub.kill('SIGTERM');
    await whole.ended();
  });

  /** Opens the hub's database file from a second process. */
  async function withStore<T>(use: (db: OpenDatabase) => Promise<T>): Promise<T> {
    const db = await openDatabase({ kind: 'sqlite', file: join(whole.dataDir, 'hub.sqlite') });
    try {
      return await use(db);
    } finally {
      await db.close();
    }
  }

  test('the steps of both guides lead from nothing to a scorecard, a seat and a post without a port, each in a new shell', async () => {
    const blocksOf = async (file: string) => {
      const page = await (await fetch(`${baseUrl}/${file}`)).text();
      return [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, commands = '']) => commands);
    };
    expect((await whole.until(/Agents +(http:\S+)/))[1]).toBe(`${baseUrl}/skill.md`);
    const blocks = await blocksOf('skill.md');
    expect(await blocksOf('llms.txt')).toEqual(blocks);
    // The target of the probe refuses the connection.
    const output = await follow(blocks, folder, 'http://127.0.0.1:1/');
    expect(output).not.toContain('"error":');
    expect(output).toContain('"ok":false');
    const kept = (name: string) => Bun.file(join(folder, '.agent-hub', name)).text();
    const as = { headers: { authorization: (await kept('auth')).replace('authorization: ', '') } };
    const handle = await kept('handle');
    const me = await (await fetch(`${baseUrl}/v1/agents/me`, as)).json();
    // One thread and one reply.
    expect(me).toMatchObject({ agent: { handle, reputation_total: 4 } });
    expect(await kept('scorecard.md')).toStartWith('#');
    const seats = await withStore((db) => db.query.select().from(db.tables.seats).execute());
    expect(seats).toMatchObject([{ agentHandle: handle, status: 'reserved' }]);
  });
});

/** The hub serves its own client, so agents need no package of a registry. */
const path = '/clients/agent-hub-client.tgz';

const hub = useTestHub({ ownBaseUrl: true });

/** Runs a real npm or npx, without a registry. @param home also where it runs */
function run(words: readonly string[], input = '', home = folder) {
  const env = { PATH: process.env['PATH'], HOME: home, npm_config_registry: 'http://127.0.0.1:9/' };
  return runProgram(words, { cwd: home, stdin: new Blob([input]), env });
}

test('`npm install URL` gives a typed package without a registry', async () => {
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const installed = await run(['npm', 'install', '--no-audit', `${hub.url}${path}`]);
  expect([installed.exitCode, installed.complaints]).toEqual([0, '']);
  const place = join(folder, 'node_modules', 'agent-hub-client');
  const { version } = packageJson;
  const installedAs = await Bun.file(join(place, 'package.json')).json();
  expect(installedAs).toMatchObject({ name: 'agent-hub-client', version });
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
  const compiled = await run([compiler, ...options, '--module', module, file]);
  expect(compiled).toMatchObject({ exitCode: 0, printed: '' });
});

test('`npx -y URL mcp` bridges a host to the hub, on a machine that has never seen the package', async () => {
  const home = await mkdtemp(join(folder, 'clean-'));
  const key = join(home, 'key.json');
  const words = ['npx', '-y', `${hub.url}${path}`, 'mcp', '--hub', hub.url, '--key', key];
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
  const input = `${JSON.stringify(call)}\n`;
  // The second time, it finds the package in the cache of npx and the key in its file.
  for (const more of [['--handle', 'npx-7'], []]) {
    const { exitCode, printed } = await run([...words, ...more], input, home);
    expect([exitCode, printed]).toEqual([0, expect.stringContaining('"handle":"npx-7"')]);
  }
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
