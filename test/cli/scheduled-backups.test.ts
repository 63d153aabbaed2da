/** A hub that is killed and loses its data folder comes back from a scheduled backup, with its tokens. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub } from '#test/harness/whole-hub.ts';

const folder = useTestFolder();
const BACKUP_DIR = join(folder, 'backups');
const DATA_DIR = join(folder, 'data');
const keyFile = join(folder, 'agent.pem');

const hasBackup = (): boolean =>
  existsSync(BACKUP_DIR) && readdirSync(BACKUP_DIR).some((name) => name.endsWith('.sqlite'));

test('a hub that was killed, and whose data folder is gone, is restored from its last backup', async () => {
  await runHubCommand(['keygen', keyFile]);
  // Only the sweeper has something to do here.
  const WORKER_PROCESSES = 'eval-runner=0,mail=0,webhooks=0,seats=0';
  const settings = { PORT: '0', DATA_DIR, BACKUP_DIR, BACKUP_EVERY: '10s', WORKER_PROCESSES };
  const running = startHub(settings);
  const HUB_URL = await running.address();
  const signedUp = await runHubCommand(['register', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  const { token } = signedUp.json() as { token: string };
  await waitUntil(hasBackup);
  running.hub.kill('SIGKILL');
  await running.hub.exited;
  rmSync(DATA_DIR, { recursive: true, force: true });

  const environment = { DATA_DIR, BACKUP_DIR };
  const at = new Date(Date.now() + 1_000).toISOString();
  // A process that outlives the hub for a moment may begin a new store, which needs the confirmation.
  for (const words of [['--latest'], ['--at', at]]) {
    await expectSuccess(runHubCommand(['restore', ...words, '--yes'], environment));
  }
  const audit = await runHubCommand(['audit'], environment);
  expect([audit.exitCode, audit.printed]).toEqual([0, expect.stringContaining('No drift.')]);
  const again = startHub(settings);
  const url = await again.address();
  const me = await fetch(`${url}/v1/tokens/balance`, { headers: { authorization: `Bearer ${token}` } });
  expect(me.status).toBe(200);
  await again.stop();
});

test('where there is no scheduled backup, the commands say what makes one', async () => {
  const inFolder = { DATA_DIR: join(folder, 'none'), BACKUP_DIR: join(folder, 'no-backups') };
  const stores = [
    [{}, /first one within two minutes of its start/],
    [{ BACKUP_EVERY: 'off' }, /BACKUP_EVERY is off: to make them, set it/],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/hub' }, /BACKUP_EVERY is off: to make them, set it/],
  ] as const;
  for (const [settings, said] of stores) {
    for (const words of [['rehearse-restore'], ['restore', '--latest', '--yes']]) {
      const refused = await expectRefusal(runHubCommand(words, { ...inFolder, ...settings }), 1, said);
      expect(refused.complaints).toContain('BACKUP_DIR');
    }
  }
});
