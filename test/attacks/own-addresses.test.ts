/**
 * A public hub that listens on a public address, with another service on its machine that only a firewall protects. No
 * notation of the machine's addresses leads the hub there. Everything runs in a network of its own.
 */
import { expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootPath } from '#test/harness/container-network.ts';
import { whyNoContainers } from '#test/harness/debian-root.ts';
import { fromSources, startHub } from '#test/harness/whole-hub.ts';

const obstacle = await whyNoContainers();
if (obstacle !== null) console.log(`Skipped: ${obstacle}.`);

const child = join(import.meta.dir, '..', 'harness', 'children', 'call-own-machine.ts');
const port = 8_000;
const setUp = [
  'ip link set lo up',
  'ip address add 20.9.8.6/32 dev lo',
  'ip address add 20.9.8.7/32 dev lo',
  'ip -6 address add 2a09:8:7::1/128 dev lo',
  'mount --bind "$HOSTS" /etc/hosts',
  'exec "$@"',
].join(' && ');
const own = [
  '20.9.8.7',
  '336136199',
  '0x14.0x9.0x8.0x7',
  '20.9.8.7.',
  '[::ffff:20.9.8.7]',
  '[64:ff9b::20.9.8.7]',
  '[2002:1409:807::]',
  '[2a09:8:7::1]',
  'hub.test',
  'HUB.test.',
  'alias.test',
  // Added while the hub runs.
  '20.9.8.8',
];

test.skipIf(obstacle !== null)(
  'a public hub calls no service of its own machine, unless a setting names the address',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-hub-own-'));
    const hosts = join(folder, 'hosts');
    await writeFile(hosts, '127.0.0.1 localhost\n20.9.8.7 hub.test alias.test\n');
    const baseUrl = `http://hub.test:${port}`;
    const { hub, until, ended } = startHub(
      {
        HOSTS: hosts,
        HOST: '0.0.0.0',
        PORT: String(port),
        BASE_URL: baseUrl,
        EVAL_ALLOWED_TARGETS: '20.9.8.6/32',
        PATH: `${join(import.meta.dir, '..', '..', 'node_modules', '.bin')}:${rootPath}`,
      },
      ['unshare', '--net', '--mount', 'sh', '-c', setUp, 'sh', ...fromSources],
    );
    const within = async (command: readonly string[]): Promise<string> => {
      const process = Bun.spawn(['nsenter', `--target=${hub.pid}`, '--net', '--mount', ...command], {
        env: { PATH: rootPath },
        stdout: 'pipe',
        stderr: 'inherit',
      });
      const said = await new Response(process.stdout).text();
      expect(await process.exited).toBe(0);
      return said;
    };
    try {
      await until(/ready/i);
      await within(['ip', 'address', 'add', '20.9.8.8/32', 'dev', 'lo']);
      const words = [process.execPath, child, baseUrl, ['20.9.8.6', ...own].join(' ')];
      const { probes, run, called } = JSON.parse(await within(words));
      expect(probes['20.9.8.6']).toContain('internal secret');
      expect(own.map((host) => [host, probes[host]])).toEqual(
        own.map((host) => [host, 'invalid_target_url']),
      );
      expect([run, new Set(called)]).toEqual(['target_blocked', new Set(['20.9.8.6:9000'])]);
    } finally {
      process.kill(-hub.pid, 'SIGTERM');
      await ended();
      await rm(folder, { recursive: true });
    }
  },
);
