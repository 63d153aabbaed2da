/** The program of the process that makes a backup: copying and checking block their process for as long as they take. */
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { writeBackupOf } from '#db/backup/write-backup.ts';
import { BackupError } from '#db/backup/settle-backup.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { isUsable, readHistory } from '#db/migrations.ts';
import { openSqliteReadOnly } from '#db/sqlite.ts';
import { leastIdAt } from '#runtime/create-id.ts';
import { redactMessage } from '#runtime/tracing/log-redaction.ts';
import { serveTasks } from '#runtime/place/serve-tasks.ts';
import { checkLedgers } from '../tokens/check-ledgers.ts';

export interface BackupTask {
  readonly store: DatabaseSetting;
  readonly file: string;
  readonly madeAt: Date;
  readonly version: string;
  readonly secretKey: string | null;
}

export type BackupMade =
  | { readonly ok: true; readonly bytes: number }
  | { readonly ok: false; readonly step: 'copy' | 'check'; readonly message: string };

serveTasks((task: BackupTask) => Promise.resolve(() => makeBackup(task)));

async function makeBackup({ store, file, ...notes }: BackupTask): Promise<BackupMade> {
  let bytes: number;
  try {
    bytes = await writeBackupOf(store, file, notes);
  } catch (error) {
    return { ok: false, step: error instanceof BackupError ? 'check' : 'copy', message: messageOf(error) };
  }
  try {
    await checkSample(file);
    return { ok: true, bytes };
  } catch (error) {
    rmSync(file, { force: true });
    return { ok: false, step: 'check', message: messageOf(error) };
  }
}

/** Pages of accounts, each of which `checkLedgers` reads with its lots and its last entry. */
const pagesChecked = 5;

/** Opens the backup as a hub would, and audits some accounts from a random one on. */
async function checkSample(file: string): Promise<void> {
  const db = openSqliteReadOnly(file);
  try {
    if (!isUsable(await readHistory(db), db)) throw new BackupError('It lacks migrations of this version.');
    const { agents } = db.tables;
    const [{ createdAt } = { createdAt: new Date(0) }] = await db.query
      .select({ createdAt: agents.createdAt })
      .from(agents)
      .limit(1);
    const since = Math.min(createdAt.getTime(), Date.now());
    let after: string | null = leastIdAt(new Date(randomInt(since, Date.now() + 1)));
    for (let page = 0; page < pagesChecked; page += 1) {
      const { mismatches, last } = await checkLedgers({ db }, { after });
      const [wrong] = mismatches;
      if (wrong !== undefined)
        throw new BackupError(`The balance of agent ${wrong.agentId} disagrees with its lots and entries.`);
      after = last;
    }
  } finally {
    await db.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? redactMessage(error) : 'Something other than an error was thrown.';
}
