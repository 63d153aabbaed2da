/** Turns: a limit per name; callers over the limit come back one after the other. */
import { expect, test } from 'bun:test';
import { createTurns, type Turn } from '#workers/webhooks/turns.ts';

function leaveOf(turn: Turn): () => void {
  if (!turn.admitted) throw new Error(`not admitted, back in ${turn.retryAfterMs} ms`);
  return turn.leave;
}

const agent = { name: 'agent', max: 3 };
const host = { name: 'host', max: 2 };

test('a name admits no more than its limit, and a place that is left is free again', () => {
  const turns = createTurns(() => 0);
  const first = leaveOf(turns.enter([agent, host]));
  leaveOf(turns.enter([agent, host]));
  expect(turns.enter([agent, host]).admitted).toBe(false);
  const elsewhere = { name: 'another host', max: 2 };
  leaveOf(turns.enter([agent, elsewhere]));
  expect(turns.enter([agent, { name: 'a third host', max: 2 }]).admitted).toBe(false);
  expect(turns.enter([{ name: 'another agent', max: 3 }, elsewhere]).admitted).toBe(true);
  first();
  expect(turns.enter([agent, host]).admitted).toBe(true);
  expect(turns.enter([agent, host]).admitted).toBe(false);
});

test('callers over the limit get one time after the other, up to a minute', () => {
  const turns = createTurns(() => 1_000);
  leaveOf(turns.enter([{ name: 'host', max: 1 }]));
  const pauses = Array.from({ length: 10_000 }, () => {
    const turn = turns.enter([{ name: 'host', max: 1 }]);
    return turn.admitted ? 0 : turn.retryAfterMs;
  });
  expect(pauses.slice(0, 3)).toEqual([100, 110, 120]);
  expect(pauses.at(-1)).toBe(60_000);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
});
