/** An agent books and cancels office hours all day. */
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import type { Ctx } from '#domain/context.ts';

/**
 * @param urls of the API processes, which are called in turns
 * @returns the number of emails that the team gets
 */
export async function countMailsOfBookings(
  ctx: Ctx,
  urls: readonly string[],
  bookings: number,
): Promise<number> {
  const { mails } = ctx.db.tables;
  const before = await ctx.db.query.$count(mails);
  const event = await createTestEvent(ctx, { kind: 'office_hours', tokenPrice: 0 });
  const { bearerToken } = await createTestAgent(ctx);
  const post = async (index: number, act: string, body: object): Promise<void> => {
    const response = await fetch(`${urls[index % urls.length]}/v1/events/${event.id}/${act}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearerToken}` },
    });
    if (response.status !== 200) throw new Error(`${act}: ${response.status} ${await response.text()}`);
  };
  for (let index = 0; index < bookings; index += 1) {
    await post(index, 'reserve', { idempotency_key: `booking-${index}` });
    await post(index, 'cancel', {});
  }
  return (await ctx.db.query.$count(mails)) - before;
}
