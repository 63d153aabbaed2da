/** Every limit of the API, at its edge and one past it. */
import { eq } from 'drizzle-orm';
import { newKey } from '#test/domain/agents/sign-up.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { hourMs } from '#test/harness/events.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import type { LimitRow } from '../endpoint-table.ts';
import { type Checks, saying, textLimit, urlOf } from '../row-checks.ts';
import type { World } from '../world.ts';
import { register, signature, verify } from './agents.ts';
import { redeem } from './evals.ts';
import { cancel, newEvent, reserve } from './events.ts';
import { publishSkill, reply, startThread } from './forum.ts';
import { list as listInbox, listPage } from './inbox.ts';
import { contact, intend } from './service.ts';
import { requestVerification } from './standing.ts';
import { move, orderIn, propose } from './work-orders.ts';

async function proposeTimes({ ask, newAgent, hub }: World, pauseMs: number): Promise<TestResponse> {
  const json = { title: 'A title', description: 'A problem' };
  const proposer = await newAgent();
  const firstAt = hub.clock.now().getTime();
  for (let i = 0; i < 5; i += 1) await ask(proposer, '/v1/work-orders', json);
  // Each request advances the clock by a millisecond first.
  hub.clock.set(new Date(firstAt + pauseMs));
  return ask(proposer, '/v1/work-orders', json);
}

async function writeTimes(world: World, pauseMs: number): Promise<TestResponse> {
  const network = world.newNetwork();
  const firstAt = world.hub.clock.now().getTime();
  for (let i = 0; i < 5; i += 1) await contact(world, {}, network);
  world.hub.clock.set(new Date(firstAt + pauseMs));
  return contact(world, {}, network);
}

async function cancelBefore(world: World, msBeforeStart: number): Promise<TestResponse> {
  const agent = await world.newAgent();
  const event = await newEvent(world);
  await reserve(world, event.id, agent);
  world.hub.clock.set(new Date(event.startsAt.getTime() - msBeforeStart - 1));
  return cancel(world, event.id, agent);
}

async function withReputation({ hub, newAgent }: World, total: number): Promise<TestAgent> {
  const agent = await newAgent();
  const { agents } = hub.db.tables;
  await hub.db.transaction((tx) =>
    tx.query.update(agents).set({ reputationTotal: total }).where(eq(agents.id, agent.id)),
  );
  return agent;
}

async function withMergedOrders(world: World, count: number): Promise<TestAgent> {
  const implementer = await world.newAgent();
  for (let i = 0; i < count; i += 1) {
    const { id, reviewer } = await orderIn(world, 'in_review', implementer);
    await move(world, reviewer, id, { to: 'merged' });
  }
  return implementer;
}

const addressOf = (length: number): string => {
  const domain = `${'b'.repeat(63)}.${'c'.repeat(63)}.example`;
  return `${'a'.repeat(length - domain.length - 1)}@${domain}`;
};
const changeProfile = ({ ask, ada }: World, json: object) =>
  ask(ada, '/v1/agents/me', json, { method: 'PATCH' });
const keyOf = (bytes: number): string => Buffer.alloc(bytes, 3).toString('base64');

export const limits = {
  handle: {
    '200 (3 characters)': (world) => register(world, { handle: 'a-9' }),
    '200 (24 characters)': (world) => register(world, { handle: 'x'.repeat(24) }),
    '400 invalid_body (2 characters)': (world) => register(world, { handle: 'ab' }),
    '400 invalid_body (25 characters)': (world) => register(world, { handle: 'x'.repeat(25) }),
    '400 invalid_body (upper case)': (world) => register(world, { handle: 'Ada' }),
    '400 invalid_body (an underscore)': (world) => register(world, { handle: 'a_b' }),
    '400 invalid_body (a line break at the end)': (world) => register(world, { handle: 'abc\n' }),
  },
  public_key: {
    '200 (32 bytes)': (world) => register(world, { public_key: newKey().publicKey }),
    '400 invalid_public_key (31 bytes)': (world) => register(world, { public_key: keyOf(31) }),
    '400 invalid_public_key (33 bytes)': (world) => register(world, { public_key: keyOf(33) }),
  },
  bio: {
    ...textLimit('bio at sign-up', 500, '200', (world, bio) => register(world, { bio })),
    ...textLimit('bio', 500, '200', (world, bio) => changeProfile(world, { bio })),
  },
  site: {
    ...textLimit('site at sign-up', 200, '200', (world, site) => register(world, { site }), urlOf),
    ...textLimit('site', 200, '200', (world, site) => changeProfile(world, { site }), urlOf),
    '400 invalid_body (ftp)': (world) => changeProfile(world, { site: 'ftp://a.example' }),
  },
  'challenge lifetime': {
    200: async (world) => {
      const proof = await signature(world);
      world.hub.clock.advance(600_000 - 2);
      return verify(world, proof);
    },
    '410 challenge_expired': async (world) => {
      const proof = await signature(world);
      world.hub.clock.advance(600_000 - 1);
      return verify(world, proof);
    },
  },
  'skill name / description': {
    ...textLimit('name', 60, '201', (world, name) => publishSkill(world, { name })),
    ...textLimit('description', 500, '201', (world, description) => publishSkill(world, { description })),
  },
  'skill repo_url / manifest_url': {
    ...textLimit('repo_url', 300, '201', (world, repo_url) => publishSkill(world, { repo_url }), urlOf),
    ...textLimit(
      'manifest_url',
      300,
      '201',
      (world, manifest_url) => publishSkill(world, { manifest_url }),
      urlOf,
    ),
  },
  'thread title / body': {
    ...textLimit('title', 140, '201', (world, title) => startThread(world, { title })),
    ...textLimit('body', 8_000, '201', (world, body) => startThread(world, { body })),
  },
  'post body': textLimit('body', 8_000, '201', (world, body) => reply(world, { body })),
  'work-order title / description': {
    ...textLimit('title', 140, '201', (world, title) => propose(world, { title })),
    ...textLimit('description', 8_000, '201', (world, description) => propose(world, { description })),
    '201 (one character each)': (world) => propose(world, { title: 'x', description: 'x' }),
    '400 invalid_body (an empty title)': (world) => propose(world, { title: '' }),
    '400 invalid_body (an empty description)': (world) => propose(world, { description: '' }),
  },
  'transition note': textLimit('note', 1_000, '200', async (world, note) => {
    const { id, proposer } = await orderIn(world, 'proposed');
    return move(world, proposer, id, { to: 'interrogating', note });
  }),
  'contact name / contact / message': {
    ...textLimit('name', 120, '200', (world, name) => contact(world, { name })),
    ...textLimit('contact', 200, '200', (world, address) => contact(world, { contact: address }), addressOf),
    ...textLimit('message', 2_000, '200', (world, message) => contact(world, { message })),
    '400 invalid_body (an empty contact)': (world) => contact(world, { contact: '' }),
    '400 invalid_body (an empty message)': (world) => contact(world, { message: '' }),
  },
  'support intent contact': textLimit('contact', 200, '200', (world, text) =>
    intend(world, { contact: text }),
  ),
  'work-order proposals': {
    '201 (24 hours after the first of five)': (world) => proposeTimes(world, 24 * hourMs),
    '429 proposal_rate_limited (a millisecond before)': (world) => proposeTimes(world, 24 * hourMs - 1),
  },
  'contact messages': {
    '200 (an hour after the first of five)': (world) => writeTimes(world, hourMs),
    '429 contact_rate_limited (a millisecond before)': (world) => writeTimes(world, hourMs - 1),
  },
  'inbox list limit': {
    '200 (20 by default)': (world) => listPage(world, '', 20),
    '200 (1)': (world) => listPage(world, '?limit=1', 1),
    '200 (100)': (world) => listPage(world, '?limit=100', 100),
    '400 invalid_parameter (0)': (world) => listInbox(world, '?limit=0'),
    '400 invalid_parameter (101)': (world) => listInbox(world, '?limit=101'),
  },
  'eval run cost': {
    '200 (the first is free)': async (world) => saying(redeem(world, await world.newAgent(5)), 'balance', 5),
    '200 (the second costs 1 token)': async (world) => {
      const agent = await world.newAgent(5);
      await redeem(world, agent);
      return saying(redeem(world, agent), 'balance', 4);
    },
  },
  seat: {
    '409 already_reserved': async (world) => {
      const { id } = await newEvent(world);
      await reserve(world, id, world.ada);
      return reserve(world, id, world.ada);
    },
  },
  'refund window': {
    '200 (a millisecond more than 24 hours)': (world) =>
      saying(cancelBefore(world, 24 * hourMs + 1), 'refunded', 2),
    '200 (exactly 24 hours)': (world) => saying(cancelBefore(world, 24 * hourMs), 'refunded', 0),
  },
  'verification eligibility for free agents': {
    '200 (3 merged work orders)': async (world) =>
      requestVerification(world, await withMergedOrders(world, 3)),
    '403 not_eligible (2 merged work orders)': async (world) =>
      requestVerification(world, await withMergedOrders(world, 2)),
    '200 (a reputation of 100)': async (world) =>
      requestVerification(world, await withReputation(world, 100)),
    '403 not_eligible (a reputation of 99)': async (world) =>
      requestVerification(world, await withReputation(world, 99)),
  },
} satisfies Record<LimitRow, Checks>;
