/** Which scheduled backups stay, and how one is found by time. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { backupName, chooseSurplus, findBackupFile, thinBackups } from '#domain/backups/backup-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-backups-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hourMs = 3_600_000;
const now = new Date('2027-03-31T12:00:00Z');
const keep = { hours: 24, days: 7, weeks: 8 };

test('a year of backups every six hours leaves a day of them, then one a day, then one a week', () => {
  // Thinned after each, as the sweeper does.
  let kept: readonly Date[] = [];
  for (let at = now.getTime() - 365 * 24 * hourMs; at <= now.getTime(); at += 6 * hourMs) {
    const times = [new Date(at), ...kept];
    const surplus = new Set(chooseSurplus(times, keep, new Date(at)));
    kept = times.filter((time) => !surplus.has(time));
  }
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
        const surplus = chooseSurplus(times, rule, now);
        expect(surplus).not.toContain(times[0]!);
        for (const time of surplus)
          expect(now.getTime() - time.getTime()).toBeGreaterThanOrEqual(rule.hours * hourMs);
      },
    ),
  );
});

test('only backups and old drafts are deleted, and a time finds the backup before it', () => {
  const old = new Date('2026-01-01T00:00:00Z');
  const names = [backupName(now), backupName(new Date('2027-03-30T18:30:00Z')), backupName(old)];
  const drafts = [`${backupName(old)}.77.part`, `${backupName(now)}.78.part`];
  const others = ['notes.txt', 'hub-latest.sqlite'];
  for (const name of [...names, ...drafts, ...others]) writeFileSync(join(folder, name), '');
  utimesSync(join(folder, drafts[0]!), old, old);
  utimesSync(join(folder, drafts[1]!), now, now);
  thinBackups(folder, keep, now);
  expect(readdirSync(folder).toSorted()).toEqual([...names.slice(0, 2), drafts[1]!, ...others].toSorted());
  const at = (text: string) => findBackupFile(folder, new Date(text))?.file ?? null;
  expect(at('2027-03-30T18:29:59Z')).toBeNull();
  expect(at('2027-03-31T11:59:59Z')).toBe(join(folder, names[1]!));
  expect(findBackupFile(folder, null)?.madeAt).toEqual(now);
  expect(findBackupFile(join(folder, 'missing'), null)).toBeNull();
});
