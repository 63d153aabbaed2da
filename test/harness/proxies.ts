/** Runs real proxies in front of a hub in tests. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { spawnTethered } from '#runtime/process/tethered-process.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { freePorts, isListening } from './free-ports.ts';
import { waitWhileRunning } from './wait-until.ts';

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

const stopTimeoutMs = 20_000;

/** @param lines what the operator writes into the `location` of nginx or the site of Caddy */
export async function startProxy(proxy: 'nginx' | 'caddy', lines: string) {
  const program = requireTool(proxy);
  const folder = mkdtempSync(join(tmpdir(), `agent-hub-${proxy}-`));
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'config');
  writeFileSync(config, proxy === 'nginx' ? nginxConfig(folder, port, lines) : caddyConfig(port, lines));
  const words =
    proxy === 'nginx'
      ? ['-p', folder, '-c', config, '-e', join(folder, 'error.log'), '-g', 'daemon off; master_process off;']
      : ['run', '--config', config, '--adapter', 'caddyfile'];
  const server = spawnTethered({
    command: [program, ...words],
    stopSignal: 'SIGTERM',
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    removeAfterwards: folder,
  });
  await waitWhileRunning(server, () => isListening(port));
  return { url: `http://127.0.0.1:${port}`, stop: () => server.stop(stopTimeoutMs) };
}

function nginxConfig(folder: string, port: number, lines: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  return `pid ${folder}/pid;
events {}
http {
  access_log off;
${temporary.join('\n')}
  server {
    listen 127.0.0.1:${port};
    location / {
${lines}
    }
  }
}
`;
}

function caddyConfig(port: number, lines: string): string {
  return `{
	admin off
	auto_https off
}
http://:${port} {
${lines}
}
`;
}

/** The lines of the operating guide in the `location` of nginx. */
export function guideLinesForNginx(upstream: string): string {
  const guide = readFileSync(join(projectFolder, 'docs', 'operating.md'), 'utf8');
  const lines = /    location \/ \{\n(.*?)\n    \}/s.exec(guide)?.[1];
  if (lines === undefined) throw new Error('The guide has a location for nginx.');
  return lines.replace('http://agent_hub', upstream);
}
