/** A real Caddy accepts the Caddyfile, and gives clients as little time for their headers as the guide demands. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { projectFolder } from '#runtime/project-files.ts';

const caddyfile = join(projectFolder, 'deploy', 'Caddyfile');

test('headers must arrive in the time that the guide names', () => {
  const program = requireTool('caddy');
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [program, 'adapt', '--config', caddyfile, '--adapter', 'caddyfile'],
    { env: { PATH: process.env['PATH'], HOME: tmpdir(), HUB_HOST: 'hub.example.org' } },
  );
  expect({ complaint: stderr.toString(), exitCode }).toMatchObject({ exitCode: 0 });
  const guide = readFileSync(join(projectFolder, 'docs', 'operating.md'), 'utf8');
  const seconds = Number(/^\s*read_header (\d+)s$/m.exec(guide)?.[1]);
  const { apps } = JSON.parse(stdout.toString()) as {
    readonly apps: { readonly http: { readonly servers: Record<string, { read_header_timeout?: number }> } };
  };
  expect(Object.values(apps.http.servers).map((server) => server.read_header_timeout)).toEqual([
    seconds * 1_000_000_000,
  ]);
});
