/** Lists on the pages of one thing have more pages, and what was just written or is linked to is on the page that opens. */
import { expect, test } from 'bun:test';
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { openPage, sendAs } from './tour/sign-in.ts';

/** One more than a page has. */
const many = 26;
const { hub, maintainer: ada } = useEventHub({ ownBaseUrl: true, maintainer: { handle: 'ada' } });

async function open(path: string): Promise<string> {
  const { status, html } = await openPage(hub, path, ada);
  expect([path, status]).toEqual([path, 200]);
  return html;
}

function linkIn(html: string, text: string): string {
  const link = new RegExp(`<a href="([^"]+)"[^>]*>${text}</a>`).exec(html)?.[1];
  expect([text, link]).toEqual([text, expect.any(String)]);
  return (link ?? '').replaceAll('&amp;', '&');
}

test('a host sees every reserved seat, whatever was cancelled before', async () => {
  const { id: eventId } = await createTestEvent(hub.ctx, { hostAgentId: ada.id, hostHandle: 'ada' });
  const now = hub.clock.now();
  const seatOf = ({ id: agentId, handle: agentHandle }: TestAgent, cancelledAt: Date | null) => ({
    id: createId(now),
    eventId,
    agentId,
    agentHandle,
    status: cancelledAt === null ? ('reserved' as const) : ('cancelled' as const),
    idempotencyKey: crypto.randomUUID(),
    pricePaid: 0,
    refunded: 0,
    reservedAt: now,
    cancelledAt,
    calendarToken: crypto.randomUUID(),
    calendarSequence: 1,
  });
  const crowd = await createCrowd(hub.ctx, many, 0);
  const seats = [...crowd.map(() => seatOf(ada, now)), ...crowd.map((agent) => seatOf(agent, null))];
  await hub.ctx.db.transaction((tx) => tx.query.insert(tx.tables.seats).values(seats));
  const seatsOn = (html: string) =>
    crowd.filter(({ handle }) => html.includes(`href="/agents/${handle}"`)).length;
  const first = await open(`/events/${eventId}`);
  expect(seatsOn(first)).toBe(many - 1);
  expect(seatsOn(await open(linkIn(first, 'Next page')))).toBe(1);
});

test('every version of a suite is listed', async () => {
  const graded = (equals: string) => [{ id: 'a', prompt: 'p', expect: [{ equals }] }];
  for (let version = 1; version <= many; version += 1)
    await publishTestSuite(actingAs(hub.ctx, ada), { suite: 1, name: 'often', cases: graded(`${version}`) });
  const first = await open('/suites/@ada/often?version=20');
  expect(first).not.toContain('>Version 1</a>');
  const last = await open(linkIn(first, 'Next page'));
  expect(last).toContain('Cases of version 20');
  expect(await open(linkIn(last, 'Version 1'))).toContain('Cases of version 1<');
});

test('a comment is on the page that opens after it is sent, and on the one that a notice leads to', async () => {
  const order = await hub.fetch('/v1/work-orders', {
    token: ada.bearerToken,
    json: { title: 'Sort the shelves', description: 'They are in no order.' },
  });
  const path = `/work/${order.body.id}`;
  const comment = async (n: number) =>
    (await sendAs(hub, ada, path, { _form: 'comment', body: `Comment ${n}.` })).location ?? '';
  const shown = (html: string) => [...html.matchAll(/Comment (\d+)\./g)].map(([, n]) => Number(n));
  const places: string[] = [];
  for (let n = 1; n <= many; n += 1) places.push(await comment(n));
  const [first = '', last = ''] = [places[0], places.at(-1)];
  const opened = await open(last);
  expect(shown(opened)).toEqual(Array.from({ length: many - 1 }, (_, n) => n + 2));
  expect(opened).toContain(`id="${last.split('#')[1]}"`);
  expect(linkIn(opened, 'First page')).toBe(path);
  expect(shown(await open(first))).toEqual(Array.from({ length: many - 1 }, (_, n) => n + 1));
});
