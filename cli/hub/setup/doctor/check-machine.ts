/** Checks of the machine: the files with secrets, the clock and the disk. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorKeyFile } from '#runtime/settings/load-operator-key.ts';
import { secretKeyFile } from '#runtime/settings/load-secret-key.ts';
import { type Check, fault, ok, skipped } from './finding.ts';

const othersMay = 0o077;
const gigabyte = 1024 ** 3;
/** What a busy hub may write before somebody looks. */
const freeBytesMin = gigabyte;
const freeShareMin = 0.05;
const clockTimeoutMs = 5_000;

const secrets: Check = {
  name: 'secrets',
  run: async ({ settings: { dataDir }, settingsFile }) => {
    const files = [settingsFile, join(dataDir, secretKeyFile), join(dataDir, operatorKeyFile)].filter(
      (file): file is string => file !== null && existsSync(file),
    );
    const open = files.filter((file) => (statSync(file).mode & othersMay) !== 0);
    if (open.length === 0) return ok(`only their owner reads ${files.join(', ') || 'them'}`);
    return fault(
      `Other users of this machine may read ${open.join(', ')}.`,
      `Run: chmod 600 ${open.join(' ')}. If somebody may have read a key, rotate it; see the operating guide.`,
    );
  },
};

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
  run: async ({ settings: { dataDir } }) => {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const share = blocks === 0 ? 0 : bavail / blocks;
    const shown = `${(free / gigabyte).toFixed(1)} GiB (${Math.round(share * 100)} %) are free for ${dataDir}`;
    if (free >= freeBytesMin && share >= freeShareMin) return ok(shown);
    return fault(
      `Only ${shown}.`,
      'Free some space, or move the data folder to a larger disk. Backups are often what is largest.',
    );
  },
};

export const machineChecks: readonly Check[] = [secrets, clock, disk];
