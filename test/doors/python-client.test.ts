/** The Python client as users get it: the wheel that a hub serves, installed by a real pip. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { pythonWheel } from '#api/discovery/client-packages.ts';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { projectFolder } from '#runtime/project-files.ts';
import { challengeSamples } from '#test/harness/challenge-samples.ts';
import { startPullServer } from '#test/harness/pull-server.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { runProgram } from '#test/harness/run-program.ts';

const hub = useTestHub({ ownBaseUrl: true });
const folder = useTestFolder();
let python: string;
beforeAll(async () => {
  python = requireTool('python3');
  // Without dependencies and without a registry: `cryptography` is there, and nothing else is needed.
  const words = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--disable-pip-version-check'];
  await run([...words, '--target', join(folder, 'site'), `${hub.url}${pythonWheel.path}`]);
});

async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { exitCode, printed, complaints } = await runProgram([python, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PYTHONPATH: join(folder, 'site'), ...environment },
  });
  if (exitCode !== 0) throw new Error(`Python ended with ${exitCode}: ${complaints}`);
  return printed;
}

/** Runs a program that prints JSON. `given` is its variable `given`. A text of several lines is indented by 4 spaces. */
async function program(text: string, given: unknown = {}): Promise<unknown> {
  const file = join(folder, `${crypto.randomUUID()}.py`);
  const head = `import asyncio, json, sys\nfrom agent_hub_client import *\ngiven = json.loads(sys.argv[1])\n`;
  await writeFile(file, `${head}${text.startsWith('\n') ? text.replaceAll(/^ {4}/gm, '') : text}`);
  return JSON.parse(await run([file, JSON.stringify({ url: hub.url, ...(given as object) })]));
}

describe('the wheel', () => {
  test('has the version of the hub, its types and its licence', async () => {
    const site = join(folder, 'site');
    const names = await readdir(site);
    expect(names.toSorted()).toEqual([
      'agent_hub_client',
      `agent_hub_client-${packageJson.version}.dist-info`,
    ]);
    expect(await readdir(join(site, 'agent_hub_client'))).toContain('py.typed');
    expect(await program('print(json.dumps(__import__("agent_hub_client").__version__))')).toBe(
      packageJson.version,
    );
  });

  test('is the same for the same sources', async () => {
    const [first, second] = [await pythonWheel.pack(), await pythonWheel.pack()];
    expect(Bun.SHA256.hash(first, 'hex')).toBe(Bun.SHA256.hash(second, 'hex'));
  });
});

describe('`pip install URL` with an empty home and no registry', () => {
  const words = ['-m', 'pip', 'install', '--no-index', '--no-cache-dir', '--disable-pip-version-check'];
  const clean = async (options: readonly string[]) => {
    const home = await mkdtemp(join(folder, 'clean-'));
    const env = { PATH: process.env['PATH'], HOME: home, PIP_CONFIG_FILE: '/dev/null' };
    const { exitCode, printed, complaints } = await runProgram(
      [python, ...words, ...options, `${hub.url}${pythonWheel.path}`],
      { cwd: home, env },
    );
    return { home, exitCode, printed, complaints };
  };

  test('finds what it needs on the machine, and its program runs', async () => {
    const { home, exitCode, complaints } = await clean(['--prefix', 'own']);
    expect([exitCode, complaints]).toEqual([0, expect.not.stringContaining('ERROR')]);
    const [module = ''] = new Bun.Glob('own/**/agent_hub_client/__main__.py').scanSync({ cwd: home });
    const site = join(home, module, '..', '..');
    const help = await run(['-m', 'agent_hub_client', 'evaluate', '--help'], {
      HOME: home,
      PYTHONPATH: site,
    });
    expect(help).toContain('--suite');
  });

  test('asks for `cryptography` where it is missing, and for nothing else', async () => {
    const { exitCode, complaints } = await clean(['--ignore-installed', '--prefix', 'own']);
    const missing = [...complaints.matchAll(/No matching distribution found for (\S+)/g)].map(
      ([, name]) => name,
    );
    expect([exitCode, missing]).toEqual([1, [expect.stringMatching(/^cryptography\b/)]]);
  });
});

test.skipIf(process.env['DOORS'] !== 'all')(
  '`pip install URL` in a fresh environment gets `cryptography` from the registry',
  async () => {
    const home = await mkdtemp(join(folder, 'fresh-'));
    await run(['-m', 'venv', join(home, 'own')]);
    const program = async (words: readonly string[]) => {
      // With the settings of this machine, which name the registry.
      const { PYTHONPATH: _, ...env } = process.env;
      const command = [join(home, 'own', 'bin', 'python'), ...words];
      const { exitCode, printed } = await runProgram(command, { cwd: home, env });
      expect([words, exitCode]).toEqual([words, 0]);
      return printed;
    };
    await program(['-m', 'pip', 'install', '--quiet', '--no-cache-dir', `${hub.url}${pythonWheel.path}`]);
    const lines = `from agent_hub_client import Hub, create_key
hub = Hub.sign_up(${JSON.stringify(hub.url)}, handle="fresh-py", key=create_key())
print(hub.evaluate(lambda prompt, case: "42")["status"])`;
    expect(await program(['-c', lines])).toBe('completed\n');
  },
  300_000,
);

describe('an agent in Python', () => {
  test('follows the lines of the README from sign-up to a score', async () => {
    const readme = await readFile(join(projectFolder, 'client', 'python', 'README.md'), 'utf8');
    const [, lines = ''] = /```python\n(.*?)```/s.exec(readme) ?? [];
    const quiet = lines.replace(
      /^print.*$/m,
      'print(json.dumps([job["status"], job["score"], job["progress"]]))',
    );
    expect(quiet).not.toBe(lines);
    const printed = await program(
      `HUB_URL = given["url"]\ndef answer(prompt, messages):\n    assert messages[-1]["content"] == prompt\n    return "I do not know."\n${quiet}`,
    );
    expect(printed).toEqual(['completed', expect.any(Number), { done: 69, total: 69 }]);
  });

  test('asks again after a response that breaks off', async () => {
    const pulled = startPullServer(2);
    const answering = 'Hub(given["at"], token="hub_x").evaluate(lambda prompt, messages: prompt)';
    expect(await program(`print(json.dumps(${answering}["status"]))`, { at: pulled.url })).toBe('completed');
    await pulled.stop();
  });

  test('logs in again with a stored key that nobody else can read', async () => {
    const path = join(folder, 'key.json');
    const printed = await program(
      `
    key = create_key()
    Hub.sign_up(given["url"], handle="grace-py", key=key)
    key.save(given["path"])
    hub = Hub.log_in(given["url"], handle="grace-py", key=Key.load(given["path"]))
    print(json.dumps([hub.call("getMe")["agent"]["handle"], key.private_key in repr(key), hub.token in repr(hub)]))`,
      { path },
    );
    expect(printed).toEqual(['grace-py', false, false]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('evaluates with a coroutine, and an error or a refusal of one answer costs only its case', async () => {
    const printed = await program(`
    hub = Hub.sign_up(given["url"], handle="async-py", key=create_key())
    seen = []
    async def answer(prompt, case):
        await asyncio.sleep(0)
        if case.case_id != "practice" and len(seen) == 0: raise RuntimeError("no idea")
        return "x" * 3_000_000 if len(seen) == 1 else "I do not know."
    job = asyncio.run(hub.evaluate_async(
        answer, concurrency=1, on_error=lambda error, case: seen.append(getattr(error, "code", str(error)))))
    print(json.dumps([job["status"], seen]))`);
    expect(printed).toEqual([
      'completed',
      ['no idea', expect.stringMatching(/^(body_too_large|invalid_body)$/)],
    ]);
  });

  test('replaces its key and closes its account', async () => {
    const printed = await program(`
    key, new_key = create_key(), create_key()
    hub = Hub.sign_up(given["url"], handle="brief-py", key=key)
    hub.rotate_key(handle="brief-py", key=key, new_key=new_key)
    hub = Hub.log_in(given["url"], handle="brief-py", key=new_key)
    print(json.dumps(hub.close_account(handle="brief-py", key=new_key)["closed"]))`);
    expect(printed).toBe(true);
  });

  test('takes the hub and the token from the environment, and sends the token nowhere else', async () => {
    const file = join(folder, 'environment.py');
    await writeFile(
      file,
      'from agent_hub_client import Hub\nprint(Hub().url, Hub().token, Hub("http://other.example").token)',
    );
    const printed = await run([file], { HUB_URL: `${hub.url}/`, HUB_TOKEN: 'ht_x' });
    expect(printed.trim()).toBe(`${hub.url} ht_x None`);
  });

  test('gets the code, message and hint of a refusal', async () => {
    const printed = await program(`
    try:
        Hub(given["url"]).call("getAgent", handle="nobody-7")
    except HubError as error:
        print(json.dumps([error.status, error.code, error.message != "", error.hint != ""]))`);
    expect(printed).toEqual([404, 'unknown_handle', true, true]);
  });

  test('reports a wrong name and wrong arguments before anything is sent', async () => {
    const printed = await program(`
    def fault(name, **args):
        try: Hub("http://127.0.0.1:9").call(name, **args)
        except (LookupError, TypeError) as error: return str(error)
    print(json.dumps([fault("flyToTheMoon"), fault("getAgent"), fault("getMe", colour="red")]))`);
    expect(printed).toEqual([
      'There is no operation `flyToTheMoon`. http://127.0.0.1:9/openapi-agents.json names them all.',
      '`getAgent` needs `handle`.',
      '`getMe` does not take `colour`.',
    ]);
  });
});

test('a challenge of another hub, passed on by a hostile one, is not signed', async () => {
  const challenge = challengeSamples.find(({ name }) => name === 'to login')?.challenge;
  const printed = await program(
    `
    from agent_hub_client.hub import Hub as _Hub
    class Hostile(_Hub):
        def call(self, name, **args):
            if name == "logIn": return {"challenge": given["challenge"]}
            raise AssertionError("signed")
    try:
        Hostile.log_in("https://evil.example", handle="ada-7", key=create_key())
    except ChallengeError as error:
        print(json.dumps(error.field))`,
    { challenge },
  );
  expect(printed).toBe('service');
});

test('an agent that is served responds as a target does, and refuses other bodies', async () => {
  const printed = await program(`
    import urllib.request, urllib.error
    def post(body):
        request = urllib.request.Request(agent.url, data=body, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=10) as response: return [response.status, json.load(response)]
        except urllib.error.HTTPError as error:
            with error: return [error.code, json.load(error)]
    def answer(prompt, messages):
        if prompt == "fail": raise RuntimeError("no idea")
        return f"{len(messages)} {prompt}"
    with serve_agent(answer) as agent:
        found = [post(b'{"prompt": "a"}'), post(b'{"prompt": "fail"}'), post(b'{}'), post(b'nonsense')]
    print(json.dumps(found))`);
  expect(printed).toEqual([
    [200, { text: '1 a' }],
    [500, { error: "RuntimeError('no idea')" }],
    [400, { error: 'The body has no `prompt`.' }],
    [400, { error: expect.any(String) }],
  ]);
});

test('a delivery is verified as the standard says, and a changed one is refused', async () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const now = new Date();
  const body = JSON.stringify({ type: 'run.completed', data: { name: 'Zoë' } });
  const signed = { id: 'msg_1', signature: new Webhook(secret).sign('msg_1', now, body) };
  const seconds = Math.floor(now.getTime() / 1_000);
  const printed = await program(
    `
    def verify(body, **changed):
        headers = {"Webhook-Id": given["id"], "webhook-timestamp": str(given["seconds"]), "webhook-signature": "v1,x " + given["signature"], **changed}
        try: return verify_webhook(secret=given["secret"], headers=headers, body=body)["data"]
        except ValueError as error: return str(error)
    old = {"webhook-timestamp": str(given["seconds"] - 301)}
    print(json.dumps([verify(given["body"]), verify(given["body"].encode()), verify(given["body"] + " "), verify(given["body"], **old), verify(given["body"], **{"webhook-timestamp": "\\u0661"})]))`,
    { secret, body, seconds, ...signed },
  );
  expect(printed).toEqual([
    { name: 'Zoë' },
    { name: 'Zoë' },
    'The signature is wrong.',
    'The delivery is not recent.',
    'The delivery is not recent.',
  ]);
});
