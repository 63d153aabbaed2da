/** An installation without a fault, in which a test plants one. */
import { expect } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { checks, examine, findingOf } from '#cli/hub/setup/doctor/diagnose.ts';
import type { Finding, Installation } from '#cli/hub/setup/doctor/finding.ts';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { useStarted } from '#test/harness/use-started.ts';

type Settings = Readonly<Record<string, string>>;
type Known = Partial<Pick<Installation, 'version' | 'runningSince' | 'settingsFile'>>;

export interface Patient {
  /** Holds `data`, and is removed with it. */
  readonly root: string;
  readonly data: string;
  readonly store: ScratchStore;
  readonly hub: TestHub;
  /** What one check finds with these settings. */
  found(name: string, settings?: Settings, known?: Known): Promise<Finding>;
  /** Of all checks, only that one finds a fault. */
  expectFault(name: string, settings: Settings, what: RegExp, advice: RegExp, known?: Known): Promise<void>;
  close(): Promise<void>;
}

/** For the tests of a file. */
export const usePatient = (): Patient => useStarted(startPatient, (patient) => patient.close());

async function startPatient(): Promise<Patient> {
  const root = mkdtempSync(join(tmpdir(), 'agent-hub-doctor-'));
  const data = join(root, 'data');
  mkdirSync(data);
  const file = join(data, 'hub.env');
  writeFileSync(file, '', { mode: 0o600 });
  const store = await openScratchStore('sqlite');
  const hub = await startTestHub({ store, settings: { trustedProxies: ['127.0.0.1/32'] }, ownBaseUrl: true });
  hub.clock.set(new Date());
  await createTestAgent(hub.ctx);
  await plantBackup(store.db, 2);
  const path = process.env['PATH'];
  process.env['PATH'] = withClock(root, 'yes', path);

  const installationOf = (settings: Settings, known: Known): Installation => ({
    settings: parseSettings({
      DATA_DIR: data,
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: hub.redisUrl,
      PORT: String(hub.port),
      ...settings,
    }),
    settingsFile: file,
    operatorKey: testOperatorKey,
    runningSince: null,
    version: '0.0.0-test',
    ...known,
  });
  return {
    root,
    data,
    store,
    hub,
    found: (name, settings = {}, known = {}) => {
      const check = checks.find((one) => one.name === name);
      if (check === undefined) throw new Error(`There is no check ${name}.`);
      return findingOf(check, installationOf(settings, known));
    },
    expectFault: async (name, settings, what, advice, known = {}) => {
      const results = await examine(installationOf(settings, known));
      expect(results.filter(({ state }) => state === 'fault')).toEqual([
        { name, state: 'fault', found: expect.stringMatching(what), advice: expect.stringMatching(advice) },
      ]);
    },
    close: async () => {
      process.env['PATH'] = path;
      await hub.close();
      await store.remove();
      chmodSync(data, 0o700);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** @returns a PATH with a timedatectl of a machine in that state */
export function withClock(root: string, isSynchronized: string, path = process.env['PATH']): string {
  const folder = join(root, `says-${isSynchronized}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'timedatectl'), `#!/bin/sh\necho ${isSynchronized}\n`, { mode: 0o755 });
  return [folder, path].join(delimiter);
}

export async function plantBackup(
  db: Database,
  hoursAgo: number,
  { failure = null, machine = 'another' }: { failure?: string | null; machine?: string } = {},
): Promise<void> {
  const startedAt = new Date(Date.now() - hoursAgo * 3_600_000);
  const row = { id: createId(startedAt), startedAt, heldUntil: startedAt, endedAt: startedAt, machine };
  const ended = { file: '/backups/hub.sqlite', bytes: 1, failure };
  const failedStep = failure === null ? null : ('command' as const);
  await db.transaction((tx) =>
    tx.query.insert(tx.tables.hubBackups).values({ ...row, ...ended, failedStep }),
  );
}
