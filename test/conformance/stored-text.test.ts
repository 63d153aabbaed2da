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
const links = [
  'https://a.example/?q=<b>&amp;#"\'',
  'HTTP://A.example:80/ä/../%7e?x=%00#é',
  'https://a.example',
];
/** Others are no names. */
const isName = (text: string) => !/[\p{Cf}\p{M}]|^ /u.test(text);

interface Texts {
  readonly line: string;
  readonly block: string;
  readonly link: string;
}

/** Writes texts to their places, and reads them back. @returns pairs of what was sent and what came back */
type Write = (texts: Texts) => Promise<readonly (readonly [sent: string, read: unknown])[]>;

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

  const places: Readonly<Record<string, Write>> = {
    'the profile of an agent': async ({ block, link }) => {
      await ask('/v1/agents/me', { bio: block, site: link }, 'PATCH');
      const { bio, site } = (await ask('/v1/agents/ada')).agent;
      return [
        [block, bio],
        [link, site],
      ];
    },
    'a thread': async ({ line, block }) => {
      const { id } = await ask('/v1/threads', { title: line, body: block });
      await ask(`/v1/threads/${id}/posts`, { body: block });
      const { title, posts } = (await ask(`/v1/threads/${id}`)).thread;
      return [
        [line, title],
        [block, posts[0].body],
        [block, posts[1].body],
      ];
    },
    'a skill': async ({ line, block, link }) => {
      number += 1;
      const name = isName(line) ? line : `Skill ${number}`;
      await ask('/v1/skills', { name, description: block, repo_url: link, manifest_url: link });
      const [skill] = (await ask('/v1/skills?limit=1')).skills;
      return [
        [name, skill.name],
        [block, skill.description],
        [link, skill.repo_url],
        [link, skill.manifest_url],
      ];
    },
    'a work order': async ({ line, block }) => {
      hub.clock.advance(25 * hourMs); // Wait until the proposal limit allows another one.
      const { id } = await ask('/v1/work-orders', { title: line, description: block });
      await ask(`/v1/work-orders/${id}/transition`, { to: 'rejected', note: block });
      const { title, description, events } = (await ask(`/v1/work-orders/${id}`)).work_order;
      return [
        [line, title],
        [block, description],
        [block, events[1].note],
      ];
    },
    'an event': async ({ line, block }) => {
      const startsAt = hub.clock.now().getTime() + 72 * hourMs;
      const { event } = await ask('/v1/events', {
        kind: 'workshop',
        title: line,
        description: block,
        presenter: line,
        starts_at: new Date(startsAt).toISOString(),
        ends_at: new Date(startsAt + hourMs).toISOString(),
        seats_total: 3,
        token_price: 0,
      });
      const { title, description, presenter } = (await ask(`/v1/events/${event.id}`)).event;
      return [
        [line, title],
        [block, description],
        [line, presenter],
      ];
    },
    'the place of a meeting': async ({ line }) => {
      const host = { hostAgentId: agent.id, hostHandle: 'ada' };
      const event = await createTestEvent(hub.ctx, {
        kind: 'office_hours',
        seatsTotal: 1,
        tokenPrice: 0,
        ...host,
      });
      const { seat } = await ask(`/v1/events/${event.id}/reserve`, { idempotency_key: event.id });
      const starts_at = event.startsAt.toISOString();
      await ask(`/v1/events/${event.id}/seats/${seat.id}/meeting`, { starts_at, place: line });
      return [[line, (await ask(`/v1/events/${event.id}/seats`)).seats[0].meeting.place]];
    },
    'a grant': async ({ line }) => {
      await ask('/v1/tokens/grants', { handle: 'ada', amount: 1, reason: line, reference: line });
      const [{ reason, reference }] = (await ask('/v1/tokens/history?limit=1')).entries;
      return [
        [line, reason],
        [line, reference],
      ];
    },
    'the statement of a verification request': async ({ block }) => {
      const { handle, bearerToken: token } = await createTestAgent(hub.ctx);
      await ask('/v1/supporters', { handle, tier: 'supporter' });
      await hub.fetch('/v1/verification/request', { token, json: { statement: block } });
      const [newest] = (await ask('/v1/verification?limit=1')).verifications;
      expect(newest.agent_handle).toBe(handle);
      return [[block, newest.statement]];
    },
  };

  test.each(Object.entries(places))('%s', async (_, write) => {
    for (const [at, block] of blocks.entries()) {
      const line = trickyTexts[at] ?? `line ${at}`;
      for (const [sent, read] of await write({ line, block, link: links[at % links.length]! }))
        expect(read).toBe(sent);
    }
  });
});
