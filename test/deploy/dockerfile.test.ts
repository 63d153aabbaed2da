/** The Dockerfile is valid, and copies only files that exist. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { projectFolder } from '#runtime/project-files.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { faultOfWords } from './files/hub-words.ts';
import { readDeployFile, readInstructions } from './files/read-deploy-file.ts';
import { tmpdir } from 'node:os';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { runProgram } from '#test/harness/run-program.ts';

const dockerfile = readDeployFile('Dockerfile');
const instructions = readInstructions(dockerfile);

function all(name: string): string[] {
  return instructions.filter((one) => one.name === name).map(({ rest }) => rest);
}

function faults(text: string): string[] {
  return validate(text).map(({ message }) => JSON.stringify(message));
}

test('every instruction is valid', () => {
  expect(faults(dockerfile)).toEqual([]);
});

test('every file copied from the sources exists', () => {
  const sources = all('COPY')
    .filter((words) => !words.includes('--from='))
    .flatMap((words) => words.split(' ').slice(0, -1));
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
});

test('the image runs the API as its own user and has a health check', () => {
  const said = (name: string) =>
    JSON.parse(
      all(name)
        .at(-1)!
        .replace(/^.*CMD /, ''),
    ) as string[];
  expect(said('ENTRYPOINT')).toEqual(['hub']);
  expect(faultOfWords(said('CMD'))).toBeNull();
  const [hub, ...asked] = said('HEALTHCHECK');
  expect([hub, faultOfWords(asked)]).toEqual(['hub', null]);
  expect(all('USER')).toEqual(['10001:10001']);
  const known = settingNames();
  const set = all('ENV').flatMap((words) => words.split(' ').map((pair) => pair.split('=')[0] ?? ''));
  expect(set.filter((name) => !known.has(name))).toEqual([]);
});

test('the image contains no secrets and nothing from this machine', () => {
  const ignored = readDeployFile('../.dockerignore').split('\n');
  for (const name of ['.git', 'node_modules', 'data', '*.pem', '*.env', 'deploy'])
    expect(ignored).toContain(name);
});

/** A real Caddy accepts the Caddyfile, and gives clients as little time for their headers as the guide demands. */
const caddyfile = join(projectFolder, 'deploy', 'Caddyfile');

test('headers must arrive in the time that the guide names', async () => {
  const program = requireTool('caddy');
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), HUB_HOST: 'hub.example.org' };
  const command = [program, 'adapt', '--config', caddyfile, '--adapter', 'caddyfile'];
  const { exitCode, printed, complaints } = await runProgram(command, { env });
  expect([exitCode, complaints]).toEqual([0, expect.any(String)]);
  const guide = readFileSync(join(projectFolder, 'docs', 'operating.md'), 'utf8');
  const seconds = Number(/^\s*read_header (\d+)s$/m.exec(guide)?.[1]);
  const { apps } = JSON.parse(printed) as {
    readonly apps: { readonly http: { readonly servers: Record<string, { read_header_timeout?: number }> } };
  };
  const timeouts = Object.values(apps.http.servers).map((server) => server.read_header_timeout);
  expect(timeouts).toEqual([seconds * 1_000_000_000]);
});
