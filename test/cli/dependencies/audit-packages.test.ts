/** Known vulnerabilities, requested by `bun audit` from a local registry that the test controls. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcceptedAdvisory } from '#cli/dependencies/accepted-advisories.ts';
import { projectFolder } from '#runtime/project-files.ts';

const script = join(projectFolder, 'cli', 'dependencies', 'audit-packages.ts');
const today = '2026-11-21';

let folder: string;
let answer: (asked: Readonly<Record<string, readonly string[]>>) => Response;
const registry = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) =>
    answer(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await request.arrayBuffer())))),
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-hub-audit-'));
  for (const name of ['package.json', 'bun.lock'])
    await copyFile(join(projectFolder, name), join(folder, name));
});
afterAll(async () => {
  await registry.stop(true);
  await rm(folder, { recursive: true });
});

/** Runs in its own process, because this one must serve the registry meanwhile. */
async function audit(accepted: readonly AcceptedAdvisory[] = [], at = registry.url.href, where = folder) {
  const options = {
    folder: where,
    accepted,
    today,
    environment: { ...process.env, NPM_CONFIG_REGISTRY: at },
  };
  const program = `import { auditPackages } from ${JSON.stringify(script)};
    console.log(JSON.stringify(auditPackages(${JSON.stringify(options)})));`;
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'pipe' });
  const [written, complaint] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
  ]);
  if ((await child.exited) !== 0) throw new Error(complaint);
  return JSON.parse(written);
}

function advisory(severity: string, id = `GHSA-aaaa-bbbb-${severity.slice(0, 4)}`) {
  const url = `https://advisories.example/${id}`;
  return { id: 1, url, title: 'A hole', severity, vulnerable_versions: '<999', cwe: [], cvss: { score: 8 } };
}

test('only the locked versions of production packages are checked', async () => {
  let asked: Readonly<Record<string, readonly string[]>> = {};
  answer = (names) => {
    asked = names;
    return Response.json({});
  };
  expect(await audit()).toEqual({ kind: 'answered', faults: [], remarks: [] });
  expect([asked['pino'], asked['oxlint'], asked['fast-check']]).toEqual([['10.4.0'], undefined, undefined]);
});

test('a high or critical vulnerability fails the check; lower ones are only reported', async () => {
  answer = () =>
    Response.json({
      pino: [advisory('high'), advisory('moderate')],
      elysia: [advisory('critical'), advisory('low')],
    });
  const { faults, remarks } = await audit();
  expect(faults).toEqual([
    'pino: high: A hole (https://advisories.example/GHSA-aaaa-bbbb-high)',
    'elysia: critical: A hole (https://advisories.example/GHSA-aaaa-bbbb-crit)',
  ]);
  expect(remarks).toHaveLength(2);
});

test('an accepted advisory passes until its last day, and must be removed when no package has it', async () => {
  const accept = (until: string) =>
    audit([{ id: 'GHSA-aaaa-bbbb-high', until, reason: 'It is not called.' }]);
  answer = () => Response.json({ pino: [advisory('high')] });
  expect(await accept(today)).toMatchObject({ faults: [], remarks: [expect.stringContaining('not called')] });
  expect((await accept('2026-11-20')).faults).toEqual([
    expect.stringContaining('accepted only until 2026-11-20'),
  ]);
  answer = () => Response.json({});
  expect((await accept(today)).faults).toEqual([expect.stringContaining('remove it')]);
});

test('a registry that is unreachable or has no advisories is reported and fails nothing', async () => {
  answer = () => new Response('no', { status: 405 });
  expect(await audit()).toEqual({ kind: 'unanswered', why: 'gave 405' });
  answer = () => new Response('<p>Welcome</p>');
  expect(await audit()).toEqual({ kind: 'unanswered', why: 'gave no JSON' });
  // Nothing listens there.
  expect(await audit([], 'http://127.0.0.1:9/')).toEqual({
    kind: 'unanswered',
    why: 'gave ConnectionRefused',
  });
});

test('any other failure of the client fails the check', async () => {
  answer = () => Response.json({});
  await expect(audit([], registry.url.href, tmpdir())).rejects.toThrow('`bun audit` exited with 1');
});
