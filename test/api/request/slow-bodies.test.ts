/** A body that arrives slowly gives way to others that wait for its turn, and ends its connection. */
import { expect, test } from 'bun:test';
import { AbandonedBody, readBytes } from '#api/request/body.ts';
import { errorResponse } from '#api/response/responses.ts';

const endless = () =>
  new Request('http://hub', { method: 'POST', body: new ReadableStream({ pull: () => Bun.sleep(60_000) }) });
const given = (isWaitedFor: () => boolean) => ({ timeoutMs: 200, turn: { keptMs: 20, isWaitedFor } });
const failureOf = (reading: Promise<unknown>) => reading.catch((error: unknown) => error);

test('a slow body goes on while nobody waits, and gives way when somebody does', async () => {
  const startedAt = performance.now();
  const isWaitedFor = () => performance.now() - startedAt > 50;
  const gaveWay = await failureOf(readBytes(endless(), 9, given(isWaitedFor)));
  expect(gaveWay).toMatchObject({ code: 'rate_limited' });
  const late = await failureOf(
    readBytes(
      endless(),
      9,
      given(() => false),
    ),
  );
  expect(late).toMatchObject({ code: 'invalid_body' });
  for (const error of [gaveWay, late]) {
    const { headers } = errorResponse(error as AbandonedBody, { requestId: 'r' });
    expect([error, headers.get('connection')]).toEqual([expect.any(AbandonedBody), 'close']);
  }
});
