/** The page of an event. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { sendAs } from './tour/sign-in.ts';

const { hub } = useEventHub({ ownBaseUrl: true });

test('an earlier copy of the page does not say that a seat is reserved which was cancelled since', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 10 });
  const { id } = await createTestEvent(hub.ctx);
  const send = (fields: Record<string, string>) => sendAs(hub, agent, `/events/${id}`, fields);
  const earlier = { _form: 'reserve', _key: 'earlier' };
  expect((await send(earlier)).location).toBe(`/events/${id}?done=reserve`);
  await send({ _form: 'cancel' });
  const { status, html } = await send(earlier);
  expect([status, html.includes('that this page had reserved is cancelled')]).toEqual([409, true]);
});
