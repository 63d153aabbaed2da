/** Checks of the machine: whether it has a hub, the files with secrets, the clock and the disk. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { settingsFileName } from '#cli/find-settings.ts';
import { filesIn, whyNoHubHere } from '#cli/hub-here.ts';
import { judgeSettingsFile } from '#cli/settings-file.ts';
import { operatorKeyFile } from '#runtime/settings/load-operator-key.ts';
import { secretKeyFile } from '#runtime/settings/load-secret-key.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { type Check, fault, ok, skipped } from './finding.ts';

const othersMay = 0o077;
const gigabyte = 1024 ** 3;
/** What a busy hub may write before somebody looks. */
const freeBytesMin = gigabyte;
const freeShareMin = 0.05;
const clockTimeoutMs = 5_000;

export const hubHere: Check = {
  name: 'hub',
  run: async (installation) => {
    const { dataDir } = installation.settings;
    if (filesIn(dataDir) === null)
      return fault(
        `This user may not read ${dataDir}.`,
        'Run the command as the user of the hub, or as root; or name another folder with --data.',
      );
    const none = whyNoHubHere(installation);
    if (none === null)
      return ok(`data in ${dataDir}, settings from ${installation.settingsFile ?? 'the environment'}`);
    return fault(none, 'Make one with `hub setup`, or name the data folder of an existing one with --data.');
  },
};

/** What a start would refuse. A wrong value stops every command before that. */
const settingsLines: Check = {
  name: 'settings',
  run: async ({ settings: { backups }, settingsFile }) => {
    if (settingsFile === null) return skipped(`no ${settingsFileName}: all settings are in the environment`);
    const { faults, doubts } = judgeSettingsFile(settingsFile, backups.commandVariables);
    if (faults.length > 0) return fault(faults.join(' '), 'Correct the file, and restart the hub.');
    return ok(doubts.length === 0 ? `every line of ${settingsFile} is a setting` : doubts.join(' '));
  },
};

const secrets: Check = {
  name: 'secrets',
  run: async ({ settings: { dataDir, database }, settingsFile }) => {
    const files = [
      settingsFile,
      ...[secretKeyFile, operatorKeyFile, ...keysOfAgents(dataDir)].map((name) => join(dataDir, name)),
      database.kind === 'sqlite' ? database.file : null,
    ].filter((file): file is string => file !== null && existsSync(file) && statSync(file).isFile());
    const open = files.filter((file) => (statSync(file).mode & othersMay) !== 0);
    if (open.length === 0) return ok(`only their owner reads ${files.join(', ') || 'them'}`);
    return fault(
      `Other users of this machine may read ${open.join(', ')}.`,
      `Run: chmod 600 ${open.join(' ')}. If somebody may have read a key, rotate it; see the operating guide.`,
    );
  },
};

/** Such as the key of the maintainer that `hub setup` made. */
function keysOfAgents(dataDir: string): readonly string[] {
  return (filesIn(dataDir) ?? []).filter((name) => name.endsWith('.pem'));
}

/** Whether the system keeps its clock right. Another check compares it with the stores. */
const clock: Check = {
  name: 'clock',
  run: async () => {
    const said = await askTimedatectl();
    if (said === null) return skipped('timedatectl does not say whether the clock is synchronized');
    if (said === 'yes') return ok('synchronized with a time server');
    return fault(
      'The clock is not synchronized with a time server, so leases, tokens and signatures may expire wrongly.',
      'Run: timedatectl set-ntp true',
    );
  },
};

async function askTimedatectl(): Promise<string | null> {
  try {
    const child = Bun.spawn(['timedatectl', 'show', '--property=NTPSynchronized', '--value'], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      env: process.env,
      timeout: clockTimeoutMs,
    });
    const said = (await new Response(child.stdout).text()).trim();
    return said === '' ? null : said;
  } catch {
    // Not a machine with systemd.
    return null;
  }
}

const disk: Check = {
  name: 'disk',
  run: async ({ settings }) => {
    const { dataDir, backups } = settings;
    if (!existsSync(dataDir)) {
      if (!needsDataFolder(settings)) return skipped(`this hub needs nothing in ${dataDir}`);
      return fault(
        `There is no data folder ${dataDir}.`,
        'Correct DATA_DIR or --data, or mount the disk that has the folder. `hub start` makes a new hub there.',
      );
    }
    const { isEnough, shown } = await freeSpaceOf(dataDir);
    if (!isEnough) {
      return fault(
        `Only ${shown}.`,
        'Free some space, or move the data folder to a larger disk. Backups are often what is largest.',
      );
    }
    if (backups.everyMs === null || !existsSync(backups.folder)) return ok(shown);
    const ofBackups = await freeSpaceOf(backups.folder);
    if (ofBackups.isEnough) return ok(shown);
    return fault(
      `Only ${ofBackups.shown}.`,
      'Free some space, keep fewer backups with BACKUP_KEEP, or set BACKUP_DIR to a larger disk.',
    );
  },
};

/** Parts of a hub that run one by one, with stores and keys elsewhere, make the folder only when they need it. */
function needsDataFolder({ dataDir, database, redisUrl, secretKey, operatorKey }: Settings): boolean {
  const hasItsDatabase = database.kind === 'sqlite' && !relative(dataDir, database.file).startsWith('..');
  return hasItsDatabase || redisUrl === null || secretKey === null || operatorKey === null;
}

async function freeSpaceOf(folder: string): Promise<{ readonly isEnough: boolean; readonly shown: string }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const share = blocks === 0 ? 0 : bavail / blocks;
  return {
    isEnough: free >= freeBytesMin && share >= freeShareMin,
    shown: `${(free / gigabyte).toFixed(1)} GiB (${Math.round(share * 100)} %) are free for ${folder}`,
  };
}

export const machineChecks: readonly Check[] = [settingsLines, secrets, clock, disk];
