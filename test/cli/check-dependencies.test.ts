/** Packages are pinned, and known vulnerabilities of a registry that the test controls are reported. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const read = (name: string) => readFileSync(join(projectFolder, name), 'utf8');
const folder = useTestFolder();
let answer: () => Response;
const registry = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() });
beforeEach(() => {
  answer = () => Response.json({});
});
afterAll(() => registry.stop(true));

async function check(
  change: { readonly manifest?: readonly [string, string]; readonly lock?: readonly [string, string] } = {},
  at: string = registry.url.href,
) {
  writeFileSync(join(folder, 'package.json'), read('package.json').replace(...(change.manifest ?? ['', ''])));
  writeFileSync(join(folder, 'bun.lock'), read('bun.lock').replace(...(change.lock ?? ['', ''])));
  const script = join(projectFolder, 'cli', 'check-dependencies.ts');
  const env = { ...process.env, NPM_CONFIG_REGISTRY: at };
  const { exitCode, printed, complaints } = await runProgram([process.execPath, script, folder], { env });
  return { exitCode, said: printed + complaints };
}

const passes = { exitCode: 0, said: expect.stringContaining(' 0 problems') as string };
const fails = (why: string) => ({ exitCode: 1, said: expect.stringContaining(why) as string });

test('the packages of the hub pass', async () => {
  expect(await check()).toEqual(passes);
});

test.each(['^10.4.0', 'latest', 'git+https://x.example/pino.git', 'npm:other@1.0.0'])(
  '%p is not an exact version',
  async (version) => {
    const manifest = ['"pino": "10.4.0"', `"pino": "${version}"`] as const;
    expect(await check({ manifest })).toEqual(fails(`package.json names pino ${version}: use an exact`));
  },
);

test('a lock file that does not match, or has no digest for a package, is reported', async () => {
  const manifest = ['"pino": "10.4.0"', '"pino": "10.3.0"'] as const;
  expect(await check({ manifest })).toEqual(fails('bun.lock does not match package.json'));
  const lock = [
    /sha512-[^"]+/.exec(read('bun.lock'))?.[0] ?? '',
    'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  ] as const;
  expect(await check({ lock })).toEqual(fails('bun.lock has no SHA-512 for '));
});

test('a high or critical vulnerability fails the check, a lower one does not', async () => {
  const advisory = (severity: string) => {
    const url = `https://advisories.example/GHSA-aaaa-bbbb-${severity.slice(0, 4)}`;
    const rest = { vulnerable_versions: '<999', cwe: [], cvss: { score: 8 } };
    return { id: 1, url, title: 'A hole', severity, ...rest };
  };
  answer = () => Response.json({ pino: [advisory('high')] });
  expect(await check()).toEqual(fails('A hole'));
  answer = () => Response.json({ pino: [advisory('moderate')] });
  expect(await check()).toEqual(passes);
});

test('a registry that is unreachable or has no advisories is reported and fails nothing', async () => {
  const skipped = { exitCode: 0, said: expect.stringContaining('SKIPPED') as string };
  for (const refuse of [() => new Response('no', { status: 405 }), () => new Response('<p>Welcome</p>')]) {
    answer = refuse;
    expect(await check()).toEqual(skipped);
  }
  // Nothing listens there.
  expect(await check({}, 'http://127.0.0.1:9/')).toEqual(skipped);
});
