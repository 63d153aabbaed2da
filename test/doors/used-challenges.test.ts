/**
 * A challenge may be used before the signature of a client arrives: another program has the same key, or the response to
 * the first request was lost. Every client, and whoever follows the guide, then logs in with another challenge.
 */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pemOf } from '#cli/client/agent-key.ts';
import { runPython } from '#test/harness/ask-python.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { Hub } from '../../client/src/hub.ts';
import { openKeyFile } from '../../client/src/key-file.ts';
import { createKey } from '../../client/src/keys.ts';
import { createBridge } from '../../client/src/mcp-bridge.ts';
import { runProgram } from '#test/harness/run-program.ts';

const folder = useTestFolder();
const proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: passOn });
const url = `http://127.0.0.1:${proxy.port}`;
const hub = useTestHub({ rules: { baseUrl: url } });
/** How many of the next signatures arrive twice, of which the client gets the second response. */
let doubled = 0;
/** What the proxy returns for the next signature in place of the response of the hub. */
let replaced: Response | null = null;

afterAll(() => proxy.stop(true));
beforeEach(() => {
  doubled = 0;
  replaced = null;
});

async function passOn(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = await request.text();
  const send = () =>
    fetch(`${hub.url}${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      ...(body === '' ? {} : { body }),
    });
  if (pathname !== '/v1/agents/verify') return send();
  if (replaced !== null) {
    const response = replaced;
    replaced = null;
    await (await send()).arrayBuffer();
    return response;
  }
  if (doubled === 0) return send();
  doubled -= 1;
  await (await send()).arrayBuffer();
  return send();
}

let handles = 0;

function newHandle(): string {
  handles += 1;
  return `used-${handles}`;
}

const whoIs = (token: string | null) => new Hub(url, { token }).call('getMe', {});

test('the JavaScript client', async () => {
  const key = await createKey();
  const handle = newHandle();
  doubled = 1;
  const { token } = await Hub.signUp(url, { handle, key });
  expect(await whoIs(token)).toMatchObject({ agent: { handle } });
  doubled = 4;
  const again = await Hub.logIn(url, { handle, key });
  expect(await whoIs(again.token)).toMatchObject({ agent: { handle } });
});

test('the JavaScript client gives up after five logins', async () => {
  const key = await createKey();
  const handle = newHandle();
  await Hub.signUp(url, { handle, key });
  doubled = 100;
  const error = await Hub.logIn(url, { handle, key }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'challenge_used' });
  expect(doubled).toBe(95);
});

test('the Python client', async () => {
  doubled = 3;
  const program = `from agent_hub_client import Hub, create_key
url, handle = sys.argv[1:]
key = create_key()
tokens = [Hub.sign_up(url, handle=handle, key=key).token, Hub.log_in(url, handle=handle, key=key).token]
print(json.dumps(tokens))`;
  const handle = newHandle();
  const { exitCode, printed, complaints } = await runPython(program, url, handle);
  expect([exitCode, complaints]).toEqual([0, '']);
  for (const token of JSON.parse(printed)) expect(await whoIs(token)).toMatchObject({ agent: { handle } });
  expect(doubled).toBe(0);
});

test.each(['npm', 'python'] as const)(
  'a sign-up whose response a proxy replaces keeps its key: %s',
  async (language) => {
    const openInPython =
      'from agent_hub_client.command.key_file import open_key_file; open_key_file(*sys.argv[1:])';
    const signUp = (path: string, handle: string): Promise<boolean> =>
      language === 'npm'
        ? openKeyFile(url, path, handle).then(
            () => true,
            () => false,
          )
        : runPython(openInPython, url, path, handle).then(({ exitCode }) => exitCode === 0);
    for (const [response, isRetried] of [
      [new Response('Bad Gateway', { status: 502 }), true],
      [new Response('Not Found', { status: 404 }), false],
    ] as const) {
      const handle = newHandle();
      const path = join(folder, `${handle}.json`);
      replaced = response;
      expect(await signUp(path, handle)).toBe(isRetried);
      const key = JSON.parse(await readFile(path, 'utf8'));
      expect(await whoIs((await Hub.logIn(url, { handle, key })).token)).toMatchObject({ agent: { handle } });
    }
  },
);

test('the MCP bridge', async () => {
  const key = await createKey();
  const handle = newHandle();
  doubled = 2;
  const bridge = createBridge(url, { handle, ...key });
  const [answer = ''] = await bridge.handle('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  expect(doubled).toBe(0);
});

test('the commands register and login', async () => {
  const handle = newHandle();
  const file = join(folder, `${handle}.pem`);
  await writeFile(file, pemOf(await createKey()));
  for (const command of ['register', 'login']) {
    doubled = 2;
    const ended = await runHubCommand([command, handle, '--key', file, '--json'], { HUB_URL: url });
    expect([command, ended.exitCode, ended.complaints, doubled]).toEqual([command, 0, '', 0]);
    expect(await whoIs(JSON.parse(ended.printed).token)).toMatchObject({ agent: { handle } });
  }
});

test('the steps of /skill.md', async () => {
  const page = await (await fetch(`${url}/skill.md`)).text();
  const steps = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, step = '']) => step);
  const signing = steps.findIndex((step) => step.includes('/v1/agents/verify'));
  doubled = 2;
  for (const step of steps.slice(0, signing + 1)) {
    const { exitCode, complaints } = await runProgram(['sh', '-e', '-c', step], { cwd: folder });
    expect([exitCode, complaints]).toEqual([0, '']);
  }
  const auth = await readFile(join(folder, '.agent-hub', 'auth'), 'utf8');
  const handle = await readFile(join(folder, '.agent-hub', 'handle'), 'utf8');
  expect(await whoIs(auth.replace('authorization: Bearer ', ''))).toMatchObject({ agent: { handle } });
});
