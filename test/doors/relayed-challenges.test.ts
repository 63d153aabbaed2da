/**
 * Two hubs: an honest one, and a hostile one that passes on challenges of the honest one. No client signs them, and
 * nobody who follows a guide of the hub to the letter does.
 */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pemOf } from '#cli/client/agent-key.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { changeRows } from '#test/harness/rows.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { Hub } from '../../client/src/hub.ts';
import { type AgentKey, createKey } from '../../client/src/keys.ts';
import { createBridge } from '../../client/src/mcp-bridge.ts';
import { runProgram } from '#test/harness/run-program.ts';

type Purpose = 'register' | 'login' | 'close';
const purposes = ['register', 'login', 'close'] as const;

interface Victim {
  readonly handle: string;
  readonly publicKey: string;
}

const folder = useTestFolder();
const honest = useTestHub({ ownBaseUrl: true });
const hostile = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 60, fetch: actAsHub });
const hostileUrl = `http://127.0.0.1:${hostile.port}`;
/** What the hostile hub runs behind its relay. */
const own = useTestHub({ rules: { baseUrl: hostileUrl } });
/** What the hostile hub passes on; null: nothing. */
let relayed: Purpose | null = null;
/** The signatures that clients have sent to it meanwhile. */
let caught: string[] = [];
/** By handle: a login does not name the key. */
const publicKeys = new Map<string, string>();

afterAll(() => hostile.stop(true));
beforeEach(() => {
  relayed = null;
  caught = [];
});

const asking = ['/v1/agents/register', '/v1/agents/login', '/v1/agents/me/key', '/v1/agents/me/close'];

async function actAsHub(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = await request.text();
  const { handle = victimOfTokens, public_key, ...sent } = body === '' ? {} : JSON.parse(body);
  if (public_key !== undefined && pathname === asking[0]) publicKeys.set(handle, public_key);
  const signature = sent.signature ?? sent.old_signature;
  if (relayed !== null && signature !== undefined) {
    if (signature !== '') caught.push(signature);
    return Response.json({ error: 'internal_error', message: 'Thank you.', hint: '' }, { status: 500 });
  }
  if (relayed !== null && asking.includes(pathname)) {
    const challenge = await challengeOfHonestHub(relayed, { handle, publicKey: publicKeys.get(handle)! });
    const verify_url = `${hostileUrl}/v1/agents/verify`;
    const instructions = 'Sign the challenge exactly as it is.';
    const response = { handle, challenge, algorithm: 'Ed25519', verify_url, instructions };
    return Response.json({ ...response, expires_in_seconds: 600 });
  }
  return fetch(`${own.url}${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    ...(body === '' ? {} : { body }),
  });
}

/** Whom the requests with a token are for, which name no handle. */
let victimOfTokens = '';

/** As the attacker gets it. For `login` and `close` the victim is an agent of the honest hub. */
async function challengeOfHonestHub(purpose: Purpose, { handle, publicKey }: Victim): Promise<string> {
  const asked = async (path: string, json: object, token?: string): Promise<string> => {
    const { status, body } = await honest.fetch(path, { json, token });
    expect([path, status, body]).toEqual([path, 200, body]);
    return body.challenge;
  };
  if (purpose === 'register')
    return asked('/v1/agents/register', { handle, agent_type: 'other', public_key: publicKey });
  const { bearerToken } = await createTestAgent(honest.ctx, { handle });
  await changeRows(honest, 'agents', { handle }, { publicKey });
  return purpose === 'login'
    ? asked('/v1/agents/login', { handle })
    : asked('/v1/agents/me/close', {}, bearerToken);
}

let victims = 0;

async function newVictim(): Promise<Victim & { readonly key: AgentKey }> {
  victims += 1;
  const key = await createKey();
  const handle = `victim-${victims}`;
  publicKeys.set(handle, key.publicKey);
  return { handle, publicKey: key.publicKey, key };
}

/** @returns why it refused */
const refusal = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'It signed.',
    (error: Error) => `${error.name}: ${error.message}`,
  );

const named = /challenge was not signed: its (purpose|service) is /;

/** Each door gets the challenge that fits its request best: one of the honest hub, for the same purpose. */
describe('a relayed challenge', () => {
  test.each(purposes)('to %s is signed by no method of the JavaScript client', async (purpose) => {
    relayed = purpose;
    for (const method of ['signUp', 'logIn'] as const) {
      const { handle, key } = await newVictim();
      expect(await refusal(Hub[method](hostileUrl, { handle, key })), method).toMatch(named);
    }
    for (const method of ['rotateKey', 'closeAccount'] as const) {
      const { handle, key } = await newVictim();
      victimOfTokens = handle;
      const hub = new Hub(hostileUrl, { token: 'hub_x' });
      const input = { handle, key, newKey: await createKey() };
      expect([method, await refusal(hub[method](input))]).toEqual([method, expect.stringMatching(named)]);
    }
    expect(caught).toEqual([]);
  });

  test('is not signed by the MCP bridge', async () => {
    relayed = 'login';
    const { handle, key } = await newVictim();
    const bridge = createBridge(hostileUrl, { handle, ...key });
    const responses = await bridge.handle('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect([responses, caught]).toEqual([[expect.stringMatching(named)], []]);
  });

  test('is not signed by the command line, which ends with 1', async () => {
    for (const command of ['register', 'login'] as const) {
      relayed = command;
      const { handle, key } = await newVictim();
      const file = join(folder, `${handle}.pem`);
      await writeFile(file, pemOf(key));
      const ended = await runHubCommand([command, handle, '--key', file], { HUB_URL: hostileUrl });
      expect([ended.exitCode, ended.complaints], command).toEqual([
        1,
        expect.stringMatching(/^The challenge was not signed: its (purpose|service) is .*\n$/),
      ]);
    }
    expect(caught).toEqual([]);
  });

  test('is not signed by anyone who signs up, or logs in again, as /skill.md says', async () => {
    const page = await (await fetch(`${hostileUrl}/skill.md`)).text();
    const steps = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, commands = '']) => commands);
    const signing = steps.findIndex((block) => block.includes('/v1/agents/verify'));
    const [before, sign] = [steps.slice(0, signing), steps[signing]!];
    const [, logIn = ''] = /`([^`\n]*\/v1\/agents\/login[^`\n]*)`/.exec(page) ?? [];
    const refused = { exitCode: 1, complaints: expect.stringMatching(/^Not signed, because .*purpose=/) };
    const [newcomer, member] = [await newPlace(), await newPlace()];
    relayed = 'register';
    for (const step of before) expect(await shell(step, newcomer)).toMatchObject({ exitCode: 0 });
    expect(await shell(sign, newcomer)).toMatchObject(refused);
    relayed = null;
    for (const step of [...before, sign, logIn, sign])
      expect(await shell(step, member)).toMatchObject({ exitCode: 0, complaints: '' });
    relayed = 'login';
    expect(await shell(logIn, member)).toMatchObject({ exitCode: 0 });
    expect(await shell(sign, member)).toMatchObject(refused);
    expect(caught).toEqual([]);
  });

  test('is not signed by anyone who follows the first run of the README', async () => {
    relayed = 'register';
    const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
    const [, firstRun = ''] = /## First run[^]*?```sh\n([^]*?)```/.exec(readme) ?? [];
    const commands = firstRun
      .replace('http://127.0.0.1:3000', hostileUrl)
      .replace('ada-7', `ada-${crypto.randomUUID().slice(0, 8)}`);
    const { exitCode, complaints } = await shell(commands, await newPlace());
    expect([exitCode, complaints, caught]).toEqual([2, expect.stringMatching(/challenge|sign/i), []]);
  });

  test('is not signed with the line of the MCP prompt', async () => {
    const line = await lineOfPrompt();
    for (const asked of ['register', 'login'] as const) {
      const { handle, publicKey } = await newVictim();
      const fill = (challenge: string): string =>
        line
          .replace('<the challenge>', challenge)
          .replace('purpose=register', `purpose=${asked}`)
          .replace('<your handle>', handle)
          .replace('<your public key>', publicKey);
      const place = await newPlace();
      const foreign = await challengeOfHonestHub(asked, { handle, publicKey });
      await shell(fill(foreign), place);
      expect(await Bun.file(join(place, 'challenge')).exists()).toBe(false);
      // The same challenge from the hub that was asked is written.
      const right = foreign.replace(honest.url, hostileUrl);
      await shell(fill(right), place);
      expect(await Bun.file(join(place, 'challenge')).text()).toBe(right);
    }
  });
});

const newPlace = () => mkdtemp(join(folder, 'reader-'));

async function lineOfPrompt(): Promise<string> {
  const client = new McpClient({ name: 'host', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hostileUrl}/mcp`)));
  const { messages } = await client.getPrompt({ name: 'get_evaluated' });
  await client.close();
  const { content } = messages[0]!;
  return /^ *(CHALLENGE=.*)$/m.exec(content.type === 'text' ? content.text : '')?.[1] ?? '';
}

const shell = (commands: string, cwd: string) =>
  runProgram(['bash', '-c', commands], { cwd, env: { PATH: process.env['PATH'], HOME: folder } });
