/**
 * Text is returned exactly as it was sent, code unit for code unit: never trimmed, escaped, truncated or
 * turned into markup.
 */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { trickyTexts } from '#test/fuzz/valid-values.ts';

const blocks = [...trickyTexts, 'one\n\n\ttwo\n', '\n<pre>\n</pre>', '| a | b |\n|---|---|'];

/** Writes a text to its place, and reads it back. */
type Write = (text: string) => Promise<unknown>;

forEachStore((store) => {
  let number = 0;
  const { hub, maintainer: agent } = useEventHub({ store, maintainer: { handle: 'ada', tokens: 100 } });

  async function ask(path: string, json?: object, method?: 'PATCH'): Promise<TestResponse['body']> {
    hub.clock.advance(1);
    const { status, headers, body } = await hub.fetch(path, {
      token: agent.bearerToken,
      json,
      ...(method === undefined ? {} : { method }),
    });
    expect([path, status < 300, body?.message]).toEqual([path, true, undefined]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    return body;
  }
  async function threadWith(title: string, text: string): Promise<TestResponse['body']> {
    const { id } = await ask('/v1/threads', { title, body: text });
    return (await ask(`/v1/threads/${id}`)).thread;
  }
  async function orderWith(title: string, description: string): Promise<TestResponse['body']> {
    hub.clock.advance(25 * hourMs); // Wait until the proposal limit allows another one.
    const { id } = await ask('/v1/work-orders', { title, description });
    return (await ask(`/v1/work-orders/${id}`)).work_order;
  }
  async function eventWith(texts: object): Promise<TestResponse['body']> {
    const startsAt = hub.clock.now().getTime() + 72 * hourMs;
    const { event } = await ask('/v1/events', {
      kind: 'workshop',
      title: 'A title',
      description: '',
      presenter: 'Ada',
      starts_at: new Date(startsAt).toISOString(),
      ends_at: new Date(startsAt + hourMs).toISOString(),
      seats_total: 3,
      token_price: 0,
      ...texts,
    });
    return (await ask(`/v1/events/${event.id}`)).event;
  }
  async function skillWith(texts: object): Promise<TestResponse['body']> {
    number += 1;
    await ask('/v1/skills', {
      name: `Skill ${number}`,
      description: 'x',
      repo_url: 'https://a.example',
      ...texts,
    });
    return (await ask('/v1/skills?limit=1')).skills[0];
  }
  async function grantWith(texts: object): Promise<TestResponse['body']> {
    await ask('/v1/tokens/grants', { handle: 'ada', amount: 1, reason: 'x', ...texts });
    return (await ask('/v1/tokens/history?limit=1')).entries[0];
  }
  async function meetingAt(place: string): Promise<string> {
    const event = await createTestEvent(hub.ctx, {
      kind: 'office_hours',
      seatsTotal: 1,
      tokenPrice: 0,
      hostAgentId: agent.id,
      hostHandle: 'ada',
    });
    const { seat } = await ask(`/v1/events/${event.id}/reserve`, { idempotency_key: event.id });
    const starts_at = event.startsAt.toISOString();
    await ask(`/v1/events/${event.id}/seats/${seat.id}/meeting`, { starts_at, place });
    return (await ask(`/v1/events/${event.id}/seats`)).seats[0].meeting.place;
  }

  const links = [
    'https://a.example/?q=<b>&amp;#"\'',
    'HTTP://A.example:80/ä/../%7e?x=%00#é',
    'https://a.example',
  ];
  const places: Readonly<Record<string, readonly [texts: readonly string[], write: Write]>> = {
    'the bio of an agent': [
      blocks,
      async (bio) => {
        await ask('/v1/agents/me', { bio }, 'PATCH');
        return (await ask('/v1/agents/ada')).agent.bio;
      },
    ],
    'the site of an agent': [
      links,
      async (site) => {
        await ask('/v1/agents/me', { site }, 'PATCH');
        return (await ask('/v1/agents/ada')).agent.site;
      },
    ],
    'the title of a thread': [trickyTexts, async (text) => (await threadWith(text, 'x')).title],
    'an opening post': [blocks, async (text) => (await threadWith('x', text)).posts[0].body],
    'a reply': [
      blocks,
      async (text) => {
        const { id } = await threadWith('x', 'x');
        await ask(`/v1/threads/${id}/posts`, { body: text });
        return (await ask(`/v1/threads/${id}`)).thread.posts[1].body;
      },
    ],
    'the name of a skill': [
      // Others are refused.
      trickyTexts.filter((text) => !/[\p{Cf}\p{M}]|^ /u.test(text)),
      async (name) => (await skillWith({ name })).name,
    ],
    'the description of a skill': [
      blocks,
      async (description) => (await skillWith({ description })).description,
    ],
    'the links of a skill': [
      links,
      async (link) => {
        const skill = await skillWith({ repo_url: link, manifest_url: link });
        return skill.repo_url === skill.manifest_url ? skill.repo_url : skill;
      },
    ],
    'the title of a work order': [trickyTexts, async (text) => (await orderWith(text, 'x')).title],
    'the description of a work order': [blocks, async (text) => (await orderWith('x', text)).description],
    'the note of a move': [
      blocks,
      async (note) => {
        const { id } = await orderWith('x', 'x');
        await ask(`/v1/work-orders/${id}/transition`, { to: 'rejected', note });
        return (await ask(`/v1/work-orders/${id}`)).work_order.events[1].note;
      },
    ],
    'the title of an event': [trickyTexts, async (title) => (await eventWith({ title })).title],
    'the description of an event': [
      blocks,
      async (description) => (await eventWith({ description })).description,
    ],
    'the presenter of an event': [
      trickyTexts,
      async (presenter) => (await eventWith({ presenter })).presenter,
    ],
    'the place of a meeting': [trickyTexts, meetingAt],
    'the reason of a grant': [trickyTexts, async (reason) => (await grantWith({ reason })).reason],
    'the reference of a grant': [
      trickyTexts,
      async (reference) => (await grantWith({ reference })).reference,
    ],
    'the statement of a verification request': [
      blocks,
      async (statement) => {
        const asking = await createTestAgent(hub.ctx);
        await ask('/v1/supporters', { handle: asking.handle, tier: 'supporter' });
        const { body } = await hub.fetch('/v1/verification/request', {
          token: asking.bearerToken,
          json: { statement },
        });
        const { verifications } = await ask('/v1/verification?limit=1');
        return verifications[0].id === body.verification.id ? verifications[0].statement : verifications[0];
      },
    ],
  };

  test.each(Object.entries(places))('%s', async (_, [texts, write]) => {
    for (const text of texts) expect(await write(text)).toBe(text);
  });
});
