import { expect, test } from 'bun:test';
import { rolesOfPoint } from './crash-plan.ts';
import { createTally } from './tally.ts';

test('a point counts as died at in a role when a process of that role died there, and not when it came too late', () => {
  const tally = createTally();
  const isWanted = (point: string): boolean => point === 'ledger.written' || point === 'email.parsed';
  expect(tally.neverDiedAt(isWanted)).toEqual([
    'api ledger.written',
    'workers ledger.written',
    'api email.parsed',
  ]);
  tally.count('api', 'ledger.written', true, 1_000);
  tally.count('workers', 'ledger.written', false, 9_000);
  expect(tally.neverDiedAt(isWanted)).toEqual(['workers ledger.written', 'api email.parsed']);
  expect([tally.kills(), tally.deaths(), tally.points()]).toEqual([2, 1, 1]);
  expect(tally.table().split('\n')).toHaveLength(1 + Object.keys(rolesOfPoint).length);
  expect(tally.table()).toMatch(/ledger\.written +1 \(0 late, 1\.0 s\) +0 \(1 late, 9\.0 s\)/);
});
