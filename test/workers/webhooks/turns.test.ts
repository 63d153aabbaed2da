/** Turns: a limit per name; callers over the limit come back one after the other. */
import { expect, test } from 'bun:test';
import { createTurns, type Turn } from '#workers/webhooks/turns.ts';

function leaveOf(turn: Turn): () => void {
  if (!turn.admitted) throw new Error(`not admitted, back in ${turn.retryAfterMs} ms`);
  return turn.leave;
}

const someone = { agentId: 'agent', network: 'network' };
const agent = { name: 'agent', max: 3 };
const host = { name: 'host', max: 2 };

test('a name admits no more than its limit, and a place that is left is free again', () => {
  const turns = createTurns(100, () => 0);
  const first = leaveOf(turns.enter(someone, [agent, host]));
  leaveOf(turns.enter(someone, [agent, host]));
  expect(turns.enter(someone, [agent, host]).admitted).toBe(false);
  const elsewhere = { name: 'another host', max: 2 };
  leaveOf(turns.enter(someone, [agent, elsewhere]));
  expect(turns.enter(someone, [agent, { name: 'a third host', max: 2 }]).admitted).toBe(false);
  expect(turns.enter(someone, [{ name: 'another agent', max: 3 }, elsewhere]).admitted).toBe(true);
  first();
  expect(turns.enter(someone, [agent, host]).admitted).toBe(true);
  expect(turns.enter(someone, [agent, host]).admitted).toBe(false);
});

test('callers over the limit get one time after the other, up to a minute', () => {
  const turns = createTurns(100, () => 1_000);
  leaveOf(turns.enter(someone, [{ name: 'host', max: 1 }]));
  const pauses = Array.from({ length: 10_000 }, () => {
    const turn = turns.enter(someone, [{ name: 'host', max: 1 }]);
    return turn.admitted ? 0 : turn.retryAfterMs;
  });
  expect(pauses.slice(0, 3)).toEqual([100, 110, 120]);
  expect(pauses.at(-1)).toBe(60_000);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
});

test('an agent with many deliveries to a quick receiver may use the reserved places, and one with a slow receiver not', () => {
  let now = 0;
  const turns = createTurns(8, () => now);
  const deliver = (agentId: string, times: number, tookMs: number): void => {
    for (let time = 0; time < times; time += 1) {
      const leave = leaveOf(turns.enter({ agentId, network: agentId }, [{ name: agentId, max: 4 }]));
      now += tookMs;
      leave();
    }
  };
  deliver('quick', 100, 150);
  deliver('slow', 2, 10_000);
  for (let index = 0; index < 6; index += 1)
    leaveOf(
      turns.enter({ agentId: `hanging ${index}`, network: `hanging ${index}` }, [
        { name: `host ${index}`, max: 4 },
      ]),
    );
  now += 10_000;
  const enter = (agentId: string) => turns.enter({ agentId, network: agentId }, [{ name: agentId, max: 4 }]);
  expect(enter('hanging 1').admitted).toBe(false);
  expect(enter('slow').admitted).toBe(false);
  expect(enter('quick').admitted).toBe(true);
});

test('callers in a line that has been full for long retry less often', () => {
  let now = 0;
  const turns = createTurns(4, () => now);
  const leave = leaveOf(turns.enter(someone, [{ name: 'host', max: 1 }]));
  const pauseAt = (at: number): number => {
    now = at;
    const turn = turns.enter(someone, [{ name: 'host', max: 1 }]);
    return turn.admitted ? 0 : turn.retryAfterMs;
  };
  expect([pauseAt(0), pauseAt(1_000), pauseAt(9_000)]).toEqual([100, 1_000, 5_000]);
  leave();
  expect(pauseAt(20_000)).toBe(0);
});
