import { expect, test } from 'bun:test';
import { rolesOfPoint } from './crash-plan.ts';
import { createTally } from './tally.ts';

test('a death counts for a point and role only if the process reached the point in time', () => {
  const tally = createTally();
  const isPlanned = (point: string): boolean => point === 'ledger.written' || point === 'email.parsed';
  expect(tally.missed(isPlanned)).toEqual([
    'api ledger.written',
    'workers ledger.written',
    'api email.parsed',
  ]);
  tally.count('api', 'ledger.written', true, 1_000);
  tally.count('workers', 'ledger.written', false, 9_000);
  expect(tally.missed(isPlanned)).toEqual(['workers ledger.written', 'api email.parsed']);
  expect([tally.kills(), tally.deaths(), tally.points()]).toEqual([2, 1, 1]);
  expect(tally.table().split('\n')).toHaveLength(1 + Object.keys(rolesOfPoint).length);
  expect(tally.table()).toMatch(/ledger\.written +1 \(0 late, 1\.0 s\) +0 \(1 late, 9\.0 s\)/);
});
