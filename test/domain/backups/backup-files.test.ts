/** Which scheduled backups stay, and how one is found by time. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  backupName,
  chooseSurplus,
  findBackupFile,
  latestBackupFile,
  thinBackups,
} from '#domain/backups/backup-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-backups-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hourMs = 3_600_000;
const now = new Date('2027-03-31T12:00:00Z');
const everyMs = 6 * hourMs;
const keep = { hours: 24, days: 7, weeks: 8 };

function surplusAt(times: readonly Date[], at: Date, rule = keep): readonly Date[] {
  return chooseSurplus(times, { keep: rule, everyMs, now: at });
}

/** What is left of a span of backups every six hours, thinned after each as the sweeper does. */
function keptOf(from: Date, until: Date, before: readonly Date[] = []): readonly Date[] {
  let kept = before;
  for (let at = from.getTime(); at <= until.getTime(); at += everyMs) {
    const times = [new Date(at), ...kept].toSorted((one, other) => other.getTime() - one.getTime());
    const surplus = new Set(surplusAt(times, new Date(at)));
    kept = times.filter((time) => !surplus.has(time));
  }
  return kept;
}

const daysLater = (days: number): Date => new Date(now.getTime() + days * 24 * hourMs);

test('a year of backups every six hours leaves a day of them, then one a day, then one a week', () => {
  const kept = keptOf(daysLater(-365), now);
  const ages = kept.map((time) => (now.getTime() - time.getTime()) / hourMs);
  expect(ages.filter((age) => age < 24)).toEqual([0, 6, 12, 18]);
  expect(ages.filter((age) => age >= 24 && age < 7 * 24).length).toBeWithin(6, 8);
  expect(ages.filter((age) => age >= 7 * 24).length).toBeWithin(6, 9);
  expect(Math.max(...ages)).toBeGreaterThan(6 * 7 * 24);
});

test('the newest backup stays whatever the rule and its age', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 50 }),
      fc.record({ hours: fc.nat(48), days: fc.nat(10), weeks: fc.nat(5) }),
      (hoursAgo, rule) => {
        const times = hoursAgo
          .toSorted((one, other) => one - other)
          .map((ago) => new Date(now.getTime() - ago * hourMs));
        const surplus = surplusAt(times, now, rule);
        expect(surplus).not.toContain(times[0]!);
        for (const time of surplus)
          expect(now.getTime() - time.getTime()).toBeGreaterThanOrEqual(rule.hours * hourMs);
      },
    ),
  );
});

test('a clock that jumps ahead ages no backup, however far, and nor does a hub that was off', () => {
  const kept = keptOf(daysLater(-365), now);
  for (const days of [0.5, 5, 90, 4_000]) {
    const later = daysLater(days);
    // As after any backup: the oldest of the last day takes the place of another in its day and week.
    expect(surplusAt([later, ...kept], later).length).toBeLessThanOrEqual(2);
    const after = keptOf(later, new Date(later.getTime() + 2 * 24 * hourMs), kept);
    expect(after.filter((time) => time <= now).length).toBeGreaterThan(kept.length - 7);
  }
});

test('after the clock was set back, backups of the future stay and displace none', () => {
  const sound = keptOf(daysLater(-365), now);
  const future = keptOf(daysLater(4_000), daysLater(4_100));
  const again = keptOf(new Date(now.getTime() + everyMs), daysLater(30), [...future, ...sound]);
  expect(again.filter((time) => time > daysLater(30))).toEqual([...future]);
  expect(again.filter((time) => time <= daysLater(30))).toEqual([
    ...keptOf(new Date(now.getTime() + everyMs), daysLater(30), sound),
  ]);
  // A machine without a battery for its clock starts in 1970.
  const early = new Date('1970-01-01T00:01:00Z');
  expect(surplusAt([...sound, early], early)).toEqual([]);
});

test('the latest backup is none of the future, unless there is no other', () => {
  const slightlyLater = new Date(now.getTime() + 30_000);
  const place = join(folder, 'future');
  mkdirSync(place);
  for (const time of [daysLater(30), daysLater(0.5), slightlyLater, now])
    writeFileSync(join(place, backupName(time)), '');
  const latestAt = (at: Date) => latestBackupFile(place, at)?.madeAt;
  // The clocks of two machines may differ by that much.
  expect(latestAt(now)).toEqual(slightlyLater);
  expect(latestAt(daysLater(29.5))).toEqual(daysLater(0.5));
  expect(latestAt(daysLater(-400))).toEqual(daysLater(30));
  rmSync(place, { recursive: true });
});

test('only backups and old drafts are deleted, and a time finds the backup before it', () => {
  const old = new Date('2026-01-01T00:00:00Z');
  const names = [backupName(now), backupName(new Date('2027-03-30T18:30:00Z')), backupName(old)];
  const drafts = [`${backupName(old)}.77.part`, `${backupName(now)}.78.part`];
  const others = ['notes.txt', 'hub-latest.sqlite'];
  for (const name of [...names, ...drafts, ...others]) writeFileSync(join(folder, name), '');
  utimesSync(join(folder, drafts[0]!), old, old);
  utimesSync(join(folder, drafts[1]!), now, now);
  thinBackups(folder, { keep: { hours: 24, days: 0, weeks: 0 }, everyMs: 24 * hourMs, now });
  expect(readdirSync(folder).toSorted()).toEqual([...names.slice(0, 2), drafts[1]!, ...others].toSorted());
  const at = (text: string) => findBackupFile(folder, new Date(text))?.file ?? null;
  expect(at('2027-03-30T18:29:59Z')).toBeNull();
  expect(at('2027-03-31T11:59:59Z')).toBe(join(folder, names[1]!));
  expect(latestBackupFile(folder, now)?.madeAt).toEqual(now);
  expect(latestBackupFile(join(folder, 'missing'), now)).toBeNull();
});
