/** The client package as users get it: installed from a hub in an empty project. */
import { expect } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

export type PackedClient = Awaited<ReturnType<typeof installClient>>;

export async function installClient(hubUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-client-'));
  const project = join(folder, 'empty');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const install = ['npm', 'install', '--no-audit', '--silent', `${hubUrl}/clients/agent-hub-client.tgz`];
  await runIn(folder, project, install);
  return {
    /** Scratch space. */
    folder,
    /** The empty project. */
    project,
    /** Runs a program of the project, which must succeed. */
    run: (words: readonly string[], input?: string) => runIn(folder, project, words, input),
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
  const { exitCode, complaints } = await runProgram(install, { cwd: client.folder });
  expect([install, exitCode, complaints]).toEqual([install, 0, expect.any(String)]);
  const packages = join(prefix, 'node_modules');
  return runtime.startsWith('deno@')
    ? [join(packages, '.bin', 'deno'), 'run', '--quiet', '--allow-all']
    : [join(packages, 'node', 'bin', 'node')];
}

async function runIn(home: string, cwd: string, words: readonly string[], input = '') {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { exitCode, printed, complaints } = await runProgram(words, { cwd, env, stdin: new Blob([input]) });
  expect([words, exitCode, complaints]).toEqual([words, 0, expect.any(String)]);
  return { printed };
}
