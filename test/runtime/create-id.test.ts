/** Ids sort by creation time, even within a millisecond. */
import { expect, test } from 'bun:test';
import { createId, leastIdAt } from '#runtime/create-id.ts';

const now = new Date('2026-05-01T12:00:00.123Z');
const dayBefore = new Date('2026-04-30T12:00:00.123Z');

test('the smallest id of a millisecond lies between the ids of the previous one and its own', () => {
  expect(leastIdAt(now) < createId(now)).toBe(true);
  expect(createId(new Date(now.getTime() - 1)) < leastIdAt(now)).toBe(true);
});

test('computing the smallest id of another time keeps the ids of a millisecond ascending', () => {
  const ids = Array.from({ length: 200 }, () => {
    leastIdAt(dayBefore);
    return createId(now);
  });
  expect(ids).toEqual(ids.toSorted());
});
