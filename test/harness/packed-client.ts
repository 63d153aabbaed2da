/** The client package as users get it: installed from a hub in an empty project. */
import { expect } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PackedClient {
  /** Scratch space. */
  readonly folder: string;
  /** The empty project. */
  readonly project: string;
  /** Runs a program of the project, which must succeed. */
  run(words: readonly string[], input?: string): Promise<{ readonly printed: string }>;
  remove(): Promise<void>;
}

export async function installClient(hubUrl: string): Promise<PackedClient> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-client-'));
  const project = join(folder, 'empty');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const install = ['npm', 'install', '--no-audit', '--silent', `${hubUrl}/clients/agent-hub-client.tgz`];
  await runIn(folder, project, install);
  return {
    folder,
    project,
    run: (words, input) => runIn(folder, project, words, input),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * @param runtime `node`, `bun`, or a package such as `node@24` or `deno@2.9.6`, which npm fetches from its registry
 * @returns the words before the name of a file to run
 */
export async function findRuntime(client: PackedClient, runtime: string): Promise<readonly string[]> {
  if (runtime === 'bun') return [process.execPath];
  if (!runtime.includes('@')) return [runtime];
  const prefix = join(client.folder, runtime.replace('@', '-'));
  await mkdir(prefix);
  // With this user's settings, which name the registry.
  const install = ['npm', 'install', '--silent', '--no-audit', '--prefix', prefix, runtime];
  const child = Bun.spawn(install, { cwd: client.folder, stdout: 'ignore', stderr: 'inherit' });
  expect([install, await child.exited]).toEqual([install, 0]);
  const packages = join(prefix, 'node_modules');
  return runtime.startsWith('deno@')
    ? [join(packages, '.bin', 'deno'), 'run', '--quiet', '--allow-all']
    : [join(packages, 'node', 'bin', 'node')];
}

async function runIn(home: string, cwd: string, words: readonly string[], input = '') {
  const child = Bun.spawn([...words], {
    cwd,
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: home },
  });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([words, await child.exited, complaints]).toEqual([words, 0, expect.any(String)]);
  return { printed };
}
