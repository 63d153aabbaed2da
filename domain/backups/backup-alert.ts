/** What an operator should know about the scheduled backups: at the desk, and from `/readyz`. */
import type { BackupState } from './claim-backup.ts';

/** As in `deploy/alerts.yml`. */
const backupMaxMs = 48 * 60 * 60_000;

/** What to do about a backup, by the step at which it failed. */
const backupRemedies = {
  copy: {
    what: 'could not be written',
    remedy: 'Free some space on its disk. The hub tries again after 15 minutes.',
    commands: ['df -h'],
  },
  check: {
    what: 'did not pass its check',
    remedy: 'Check the hub, and keep the older backups.',
    commands: ['hub audit'],
  },
  command: {
    what: 'was made, but could not be passed on',
    remedy: 'Correct BACKUP_COMMAND in hub.env, restart the hub, and check what can be restored.',
    commands: ['hub rehearse-restore'],
  },
} as const;

/** @returns null if the last backup is good and recent, or if none was ever made */
export function findBackupAlert({ last, lastGood }: BackupState, now: Date) {
  if (last !== null && last.failedStep !== null) {
    const { what, remedy, commands } = backupRemedies[last.failedStep];
    const failure = last.failure === null ? '' : `: ${last.failure.replace(/\.$/, '')}`;
    return { what: `The backup of ${momentOf(last.startedAt)} ${what}${failure}.`, remedy, commands };
  }
  if (lastGood === null || now.getTime() - lastGood.startedAt.getTime() <= backupMaxMs) return null;
  return {
    what: `The last good backup is from ${momentOf(lastGood.startedAt)}.`,
    remedy: 'Check that BACKUP_EVERY in hub.env is less than two days, and that the sweeper runs.',
    commands: ['hub health'],
  };
}

/** Such as `2026-11-29 07:42 UTC`. */
export function momentOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
