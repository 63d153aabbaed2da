/** The feeds follow changes: new posts, edited and hidden texts, cancelled events. The calendar keeps to RFC 5545. */
import { expect, test } from 'bun:test';
import { DomUtils, parseDocument } from 'htmlparser2';
import ICAL from 'ical.js';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { changeRows } from '#test/harness/rows.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly published: string;
  readonly content: string;
  readonly url: string;
}

const { hub, maintainer: ada } = useEventHub({ ownBaseUrl: true });

const send = async (path: string, json: object, method = 'POST') =>
  (await hub.fetch(path, { method, token: ada.bearerToken, json })).body;

async function read(path: string): Promise<readonly Entry[]> {
  const text = await (await fetch(hub.url + path)).text();
  const root = parseDocument(text, { xmlMode: true, decodeEntities: true });
  const textOf = (name: string, entry: Parameters<typeof DomUtils.getElementsByTagName>[1]) =>
    DomUtils.textContent(DomUtils.getElementsByTagName(name, entry));
  const [feed] = DomUtils.getElementsByTagName('feed', root);
  const entries = DomUtils.getElementsByTagName('entry', root).map((entry) => ({
    id: textOf('id', entry),
    title: textOf('title', entry),
    updated: textOf('updated', entry),
    published: textOf('published', entry),
    content: textOf('content', entry),
    url: DomUtils.getElementsByTagName('link', entry)[0]?.attribs['href'] ?? '',
  }));
  const [updated] = DomUtils.getElementsByTagName('updated', feed!.children, false);
  // The feed was updated when its last entry was (RFC 4287 section 4.2.15).
  expect(DomUtils.textContent(updated!)).toBe(
    entries
      .map((entry) => entry.updated)
      .toSorted()
      .at(-1)!,
  );
  return entries;
}

test('the feed of a long thread has its newest posts, newest first', async () => {
  const { id } = await send('/v1/threads', { title: 'Long', body: 'Opening' });
  for (let post = 2; post <= 53; post += 1)
    await send(`/v1/threads/${id}/posts`, { body: `Post number ${post}` });
  const entries = await read(`/forum/${id}.atom`);
  expect(entries.map(({ id: entry }) => entry.split('#')[1])).toEqual(
    Array.from({ length: 50 }, (_, index) => `post-${53 - index}`),
  );
  expect(entries[0]!.content).toContain('Post number 53');
  expect(await (await fetch(entries[0]!.url)).text()).toContain('id="post-53"');
});

test('an entry of the forum has the text of the opening post, and is updated by replies', async () => {
  const { id } = await send('/v1/threads', { title: 'Words', body: 'These are **the** words.' });
  const find = async () => (await read('/forum.atom')).find((entry) => entry.id === `urn:uuid:${id}`)!;
  const before = await find();
  expect(before.content).toContain('These are <strong>the</strong> words.');
  hub.clock.advance(60_000);
  await send(`/v1/threads/${id}/posts`, { body: 'A reply' });
  const after = await find();
  expect(after.content).toContain('2 posts');
  expect(after.published).toBe(before.published);
  expect(Date.parse(after.updated) - Date.parse(before.updated)).toBe(60_000);
});

test('a cancelled event and an edited skill are updated', async () => {
  const event = await createTestEvent(hub.ctx, { startsAt: new Date(hub.clock.now().getTime() + 864e5) });
  await send('/v1/skills', { name: 'Folding', description: 'Old', repo_url: 'https://example.org/x' });
  hub.clock.advance(60_000);
  await send('/v1/skills/Folding', { description: 'New' }, 'PATCH');
  const skill = (await read('/skills.atom')).find(({ title }) => title === 'Folding')!;
  expect(skill.content).toContain('New');
  expect(Date.parse(skill.updated) - Date.parse(skill.published)).toBe(60_000);
  await changeRows(hub, 'events', { id: event.id }, { status: 'cancelled', changedAt: hub.clock.now() });
  const entry = (await read('/events.atom')).find(({ id }) => id === `urn:uuid:${event.id}`)!;
  expect(entry.title).toStartWith('Cancelled:');
  expect(Date.parse(entry.updated)).toBe(hub.clock.now().getTime());
});

test('the feed of events has the one announced last first, however late it is', async () => {
  const hosted = { hostAgentId: ada.id, hostHandle: 'ada' };
  for (let soon = 0; soon < 50; soon += 1) await createTestEvent(hub.ctx, hosted);
  const startsAt = new Date(hub.clock.now().getTime() + 30 * 864e5);
  const { id } = await createTestEvent(hub.ctx, { ...hosted, startsAt });
  expect((await read('/events.atom')).map((entry) => entry.id)).toHaveLength(50);
  expect((await read('/events.atom'))[0]!.id).toBe(`urn:uuid:${id}`);
});

test('no line of the calendar has more than 75 octets, and another parser reads the same text', async () => {
  // Hidden characters are shown as their codes, which are longer.
  const title = `Ünïcödé wörkshöp ${'żółw 🐢 漢字 '.repeat(6)}${'\u202e'.repeat(20)}`;
  const shown = title.replaceAll('\u202e', '[U+202E]');
  const startsAt = new Date(hub.clock.now().getTime() + 2 * 864e5);
  const description = 'One line\nSecond line';
  const endsAt = new Date(startsAt.getTime() + 36e5);
  await createTestEvent(hub.ctx, { title, description, startsAt, endsAt });
  const text = await (await fetch(`${hub.url}/events.ics`)).text();
  const lines = text.split('\r\n');
  expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  const event = events.find((one) => one.getFirstPropertyValue('summary') === shown);
  expect(String(event?.getFirstPropertyValue('description'))).toContain(description);
});
