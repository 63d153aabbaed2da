/**
 * On a bare Debian with the binary and a Redis, `hub setup` with the defaults ends in a hub that `hub setup --check` finds
 * sound, and what it prints makes a service of it. Nothing of this machine is visible there but the kernel.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startRelays } from '#test/harness/container-network.ts';
import {
  type Container,
  type ExecOptions,
  startContainer,
  type StartedProgram,
} from '#test/harness/containers.ts';
import { copyDebian, whyNoContainers } from '#test/harness/debian-root.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { startTarget } from '#test/harness/target.ts';

const obstacle = await whyNoContainers();
if (obstacle !== null) console.log(`SKIPPED: ${obstacle}.`);

/** The hub may take this long until it is ready. */
const startMaxMs = 30_000;
const targetPort = 8099;
const asRoot: ExecOptions = { folder: '/root' };
const asAda: ExecOptions = {
  user: { uid: 1000, gid: 1000 },
  folder: '/home/ada',
  env: { HOME: '/home/ada', USER: 'ada' },
};

let root: string;
let machine: Container;
beforeAll(async () => {
  if (obstacle !== null) return;
  root = await copyDebian({ withRedis: true });
  copyFileSync(hubBinary, join(root, 'usr/local/bin/hub'));
  chmodSync(join(root, 'usr/local/bin/hub'), 0o755);
  // A shell waits for the children of others, as an init does.
  const init = ['sh', '-c', 'sleep infinity; exit'];
  machine = await startContainer({ root, command: init, folder: '/', env: { HOME: '/root' } });
  await succeed(['useradd', '--create-home', '--key', 'HOME_MODE=0700', '--uid', '1000', 'ada'], asRoot);
});
afterAll(async () => {
  await machine?.remove();
  if (root !== undefined) rmSync(root, { recursive: true, force: true });
});

async function succeed(words: readonly string[], options: ExecOptions): Promise<string> {
  const { exitCode, printed, complaints } = await machine.exec(words, options);
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${exitCode}\n${printed}${complaints}`);
  return printed;
}

/** Resolves when `hub health` finds it ready. */
async function start(words: readonly string[], options: ExecOptions, data: string): Promise<StartedProgram> {
  const hub = machine.start(words, options);
  const giveUpAt = performance.now() + startMaxMs;
  while ((await machine.exec(['hub', 'health', '--data', data], options)).exitCode !== 0) {
    if (hub.hasEnded() || performance.now() > giveUpAt) {
      if (!hub.hasEnded()) hub.signal('SIGKILL');
      throw new Error(`The hub is not ready: ${JSON.stringify(await hub.ended)}`);
    }
    await Bun.sleep(200);
  }
  return hub;
}

async function stop(hub: StartedProgram): Promise<void> {
  hub.signal('SIGTERM');
  const { exitCode, complaints } = await hub.ended;
  expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' });
}

/** What `hub setup --check` skips. It finds the rest good. */
async function skippedByCheck(words: readonly string[], options: ExecOptions): Promise<readonly string[]> {
  const report = await succeed(['hub', 'setup', '--check', '--json', ...words], options);
  // The command printed it.
  const { ok, checks } = JSON.parse(report) as { ok: boolean; checks: { name: string; state: string }[] };
  expect([ok, checks.filter(({ state }) => state === 'fault')]).toEqual([true, []]);
  return checks.filter(({ state }) => state === 'skipped').map(({ name }) => name);
}

/** Without a public address, without systemd, with a Redis of its own and with the first backup yet to come. */
const skippedOnBareMachine = ['reachable', 'proxy headers', 'clock', 'redis', 'mail', 'backups'];

/** Carries out what `hub setup` prints but for systemd, which a bare root has not, and does itself what systemd would. */
async function startService(said: string): Promise<StartedProgram> {
  const commands = [...said.matchAll(/^  sudo (.*)$/gm)].map(([, command = '']) => command);
  expect(commands.at(-1)).toContain('systemctl enable --now agent-hub');
  for (const command of commands.filter((one) => !one.startsWith('systemctl')))
    await succeed(['sh', '-c', command], asRoot);
  const unit = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(said)?.[1] ?? '';
  expect([unit('ProtectSystem'), unit('PrivateTmp')]).toEqual(['strict', 'yes']);
  const [user, data] = [unit('User'), unit('ReadWritePaths')];
  const mounts = `mount -t tmpfs tmp /tmp && mount --bind ${data} ${data} && mount -o remount,bind,ro /`;
  const script = `${mounts} && exec "$@"`;
  const rights = ['--init-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const ids = ['setpriv', `--reuid=${user}`, `--regid=${user}`, ...rights];
  const words = ['unshare', '--mount', 'sh', '-c', script, 'sh', ...ids, ...unit('ExecStart').split(' ')];
  return start(words, { folder: '/' }, data);
}

test.if(obstacle === null)(
  'a user sets a hub up with the defaults, starts it, finds it sound, and an agent takes a run',
  async () => {
    const target = startTarget(() => 'I do not know.');
    const relays = await startRelays(machine.pid, {
      servers: [{ host: '127.0.0.1', port: targetPort, to: Number(new URL(target.url).port) }],
    });
    await succeed(['hub', 'setup', '--yes'], asAda);
    const hub = await start(['hub', 'start'], asAda, 'data');
    expect(await skippedByCheck([], asAda)).toEqual(skippedOnBareMachine);

    await succeed(['hub', 'keygen', 'agent.pem'], asAda);
    const signedUp = await succeed(['hub', 'register', 'ada-7', '--key', 'agent.pem', '--json'], asAda);
    // The command printed it.
    const { token } = JSON.parse(signedUp) as { token: string };
    const url = `http://127.0.0.1:${targetPort}/answer`;
    const evaluate = ['hub', 'evaluate', '--product', 'eval-run', '--target', url, '--json'];
    const report = await succeed(evaluate, { ...asAda, env: { ...asAda.env, HUB_TOKEN: token } });
    expect(JSON.parse(report)).toMatchObject({ outcome: 'held' });
    expect(target.calls.length).toBeGreaterThanOrEqual(40);

    await stop(hub);
    await relays.stop();
    await target.stop();
  },
);

test.if(obstacle === null)(
  'what `hub setup` prints makes a service, for root and for a user with a closed home',
  async () => {
    for (const options of [asAda, asRoot]) {
      const data = options === asAda ? 'data-of-service' : '/var/lib/agent-hub';
      const words = options === asAda ? ['--data', data] : [];
      const said = await succeed(['hub', 'setup', '--yes', ...words], options);
      const service = await startService(said);
      expect(await skippedByCheck(['--data', data], options)).toEqual(skippedOnBareMachine);
      // Whoever has judged it leaves nothing that the service cannot open.
      const user = options === asAda ? 'ada' : 'agent-hub';
      expect(await succeed(['find', data, '!', '-user', user], options)).toBe('');
      await stop(service);
    }
    const stranger: ExecOptions = { user: { uid: 1001, gid: 1001 }, folder: '/' };
    for (const data of ['/var/lib/agent-hub', '/home/ada/data-of-service']) {
      const refused = await machine.exec(['hub', 'audit', '--data', data], stranger);
      expect(refused).toMatchObject({
        exitCode: 78,
        complaints: expect.stringContaining('as the user of the hub'),
      });
    }
  },
);
