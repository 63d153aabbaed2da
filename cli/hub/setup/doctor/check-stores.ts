/** Checks of the stores: their versions and clocks, backups, and the audit. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { desc, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { describeStore } from '#db/explain-open-failure.ts';
import { describeOutage } from '#db/describe-outage.ts';
import { tryWrite } from '#db/try-write.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { readBackupState } from '#domain/backups/claim-backup.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { systemClock } from '#runtime/clock.ts';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { faultOfSmtpServer } from '#workers/mail/smtp-transport.ts';
import { databaseOf } from '../../operator/open-operator.ts';
import { type Check, fault, type Finding, type Installation, ok, skipped } from './finding.ts';

const smtpTimeoutMs = 10_000;
const minuteMs = 60 * 1_000;
const hourMs = 60 * minuteMs;
const backupAgeMaxMs = 24 * hourMs;
/** Backups are made by a hub that runs. */
const backupsNeed = ['running'];
const firstBackupWithinMs = 2 * 60 * 1_000;
/** Less than a lease lasts. */
const clockDifferenceMaxMs = 2_000;
const rowAheadMaxMs = 60_000;

async function onDatabase(
  { settings }: Installation,
  work: (ctx: Ctx) => Promise<Finding>,
): Promise<Finding> {
  const db = await openExistingDatabase(databaseOf(settings));
  try {
    const publisher = { publish: () => undefined, signal: () => undefined };
    return await work({ db, clock: systemClock, rules: hubRulesOf(settings), publisher });
  } finally {
    await db.close();
  }
}

const database: Check = {
  name: 'database',
  run: async ({ settings, version }) => {
    if (settings.database.kind === 'none') {
      return fault(
        'DATABASE_URL is none, so the hub stores nothing.',
        'Unset DATABASE_URL to use a file in the data folder, or set it to a database.',
      );
    }
    const setting = databaseOf(settings);
    if (setting.kind === 'sqlite' && !existsSync(setting.file)) {
      return fault(
        `There is no database at ${setting.file}.`,
        'Name the data folder of the hub with --data, restore a backup with `hub restore --latest`, or start a new hub.',
        existsSync(settings.dataDir) ? [] : ['disk'],
      );
    }
    const db = await openExistingDatabase(setting);
    try {
      await tryWrite(db, 0);
      return ok(`${db.dialect} has the schema of version ${version}, and accepts writes`);
    } catch (error) {
      const reason = describeOutage(error);
      if (reason === null) throw error;
      return fault(
        `${describeStore(setting)} accepts no writes. ${reason}`,
        setting.kind === 'sqlite'
          ? 'Let the user of the hub write the file and its folder, and free space on the disk.'
          : 'Set DATABASE_URL to the primary if this is a replica, else turn default_transaction_read_only off.',
      );
    } finally {
      await db.close();
    }
  },
};

const redis: Check = {
  name: 'redis',
  run: async ({ settings: { redisUrl } }) => {
    if (redisUrl === null) return skipped('the hub runs its own');
    await checkRedis(redisUrl);
    return ok('reachable, writable and recent enough');
  },
};

const storeClocks: Check = {
  name: 'clocks of stores',
  needs: 'database',
  run: (installation) =>
    onDatabase(installation, async ({ db }) => {
      const differenceMs = await differenceOf(db);
      if (Math.abs(differenceMs) > clockDifferenceMaxMs) {
        return fault(
          `The clock of Postgres differs by ${Math.round(differenceMs / 1_000)} s from that of this machine.`,
          'Synchronize both machines with a time server.',
          ['clock'],
        );
      }
      const newest = await newestRow(db);
      if (newest !== null && newest.getTime() > Date.now() + rowAheadMaxMs) {
        return fault(
          `The newest agent signed up at ${newest.toISOString()}, which is in the future: the clock was set back.`,
          'Synchronize the clock with a time server. Times that lie ahead pass by themselves.',
          ['clock'],
        );
      }
      return ok('agree with this machine');
    }),
};

/** 0 on SQLite, which has no clock of its own. */
async function differenceOf(db: Database): Promise<number> {
  if (db.dialect === 'sqlite') return 0;
  const askedAt = Date.now();
  const [row] = await db.query
    .select({ now: sql`extract(epoch from clock_timestamp()) * 1000`.mapWith(Number) })
    .from(sql`(select 1) as one`);
  return row === undefined ? 0 : row.now - (askedAt + Date.now()) / 2;
}

async function newestRow(db: Database): Promise<Date | null> {
  const { agents } = db.tables;
  const [row] = await db.query
    .select({ createdAt: agents.createdAt })
    .from(agents)
    .orderBy(desc(agents.id))
    .limit(1);
  return row?.createdAt ?? null;
}

const backups: Check = {
  name: 'backups',
  needs: 'database',
  run: (installation) => {
    const { backups: set, database: store } = installation.settings;
    if (set.everyMs === null && store.kind === 'postgres')
      return Promise.resolve(skipped('of Postgres are made by its own tools; see the operating guide'));
    if (set.everyMs === null) {
      return Promise.resolve(
        fault('BACKUP_EVERY is off, so there are no backups.', 'Set BACKUP_EVERY=6h, and restart the hub.'),
      );
    }
    return onDatabase(installation, (ctx) => judgeBackups(ctx, installation));
  },
};

async function judgeBackups(ctx: Ctx, { runningSince }: Installation): Promise<Finding> {
  const { last, lastGood } = await readBackupState(ctx);
  if (last !== null && last.failedStep !== null) {
    return fault(
      `The last backup failed (${last.failedStep}): ${last.failure}`,
      'Fix what it reports. The next backup follows by itself.',
      ['disk'],
    );
  }
  if (lastGood === null) {
    if (runningSince !== null && ctx.clock.now().getTime() - runningSince.getTime() < firstBackupWithinMs)
      return skipped('the hub has just been started, and makes its first within two minutes');
    return fault(
      'There is no backup yet.',
      'The hub makes one within two minutes of its start. If it does not, its log says why.',
      backupsNeed,
    );
  }
  const ageMs = ctx.clock.now().getTime() - lastGood.startedAt.getTime();
  if (lastGood.machine === hostname() && lastGood.file !== null && !existsSync(lastGood.file)) {
    return fault(
      `The last backup was ${lastGood.file}, which is gone.`,
      'Find out what deletes files in BACKUP_DIR. The next backup follows by itself.',
    );
  }
  const shown = `the last one is ${ageMs < hourMs ? `${Math.round(ageMs / minuteMs)} min` : `${Math.round(ageMs / hourMs)} h`} old: ${lastGood.file}`;
  if (ageMs <= backupAgeMaxMs) return ok(shown);
  return fault(
    `No backup is younger than a day; ${shown}.`,
    'Set BACKUP_EVERY to less than a day, and let the sweeper run: `hub health --port` with its metrics port.',
    backupsNeed,
  );
}

const mail: Check = {
  name: 'mail',
  run: async ({ settings: { smtpUrl, dataDir } }) => {
    if (smtpUrl === null) return skipped(`SMTP_URL is not set: mail is written to ${dataDir}/mail`);
    const why = await faultOfSmtpServer(smtpUrl, smtpTimeoutMs);
    if (why === null) return ok('the server accepts the login');
    return fault(
      `The mail server cannot be used: ${why}`,
      'Correct SMTP_URL, and restart the hub. Mail waits until then.',
    );
  },
};

const audit: Check = {
  name: 'audit',
  needs: 'database',
  run: (installation) =>
    onDatabase(installation, async (ctx) => {
      const checks = await auditHub(ctx);
      const broken = checks.filter(({ drifts }) => drifts.length > 0);
      if (broken.length === 0) return ok(`${checks.length} checks hold`);
      return fault(
        `Stored totals are wrong: ${broken.map(({ name }) => name).join(', ')}.`,
        'See `hub audit`. Restore a backup from before, or report it as a bug of the hub.',
      );
    }),
};

export const storeChecks: readonly Check[] = [database, redis, storeClocks, mail, backups, audit];
