/** A hub that is killed and loses its data folder comes back from a scheduled backup, with its tokens. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub } from '#test/harness/whole-hub.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-scheduled-'));
const BACKUP_DIR = join(folder, 'backups');
const DATA_DIR = join(folder, 'data');
const keyFile = join(folder, 'agent.pem');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function backups(): readonly string[] {
  try {
    return readdirSync(BACKUP_DIR).filter((name) => name.endsWith('.sqlite'));
  } catch {
    return [];
  }
}

test('a hub that was killed, and whose data folder is gone, is restored from its last backup', async () => {
  await runHubCommand(['keygen', keyFile]);
  // Only the sweeper has something to do here.
  const WORKER_PROCESSES = 'eval-runner=0,mail=0,webhooks=0,seats=0';
  const settings = { PORT: '0', DATA_DIR, BACKUP_DIR, BACKUP_EVERY: '10s', WORKER_PROCESSES };
  const running = startHub(settings);
  const [, HUB_URL = ''] = await running.until(/API +(http:\S+)/);
  const signedUp = await runHubCommand(['register', 'ada-7', '--key', keyFile, '--json'], { HUB_URL });
  const { token } = signedUp.json() as { token: string };
  await waitUntil(async () => backups().length > 0);
  running.hub.kill('SIGKILL');
  await running.hub.exited;
  rmSync(DATA_DIR, { recursive: true, force: true });

  const environment = { DATA_DIR, BACKUP_DIR };
  const at = new Date(Date.now() + 1_000).toISOString();
  for (const words of [['--latest'], ['--at', at, '--yes']]) {
    const restored = await runHubCommand(['restore', ...words], environment);
    expect([restored.exitCode, restored.complaints]).toEqual([0, '']);
  }
  const audit = await runHubCommand(['audit'], environment);
  expect([audit.exitCode, audit.printed]).toEqual([0, expect.stringContaining('No drift.')]);
  const again = startHub(settings);
  const [, url = ''] = await again.until(/API +(http:\S+)/);
  const me = await fetch(`${url}/v1/tokens/balance`, { headers: { authorization: `Bearer ${token}` } });
  expect(me.status).toBe(200);
  again.hub.kill('SIGTERM');
  await again.ended();
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
      const refused = await runHubCommand(words, { ...inFolder, ...settings });
      expect([refused.exitCode, refused.complaints]).toEqual([1, expect.stringMatching(said)]);
      expect(refused.complaints).toContain('BACKUP_DIR');
    }
  }
});
