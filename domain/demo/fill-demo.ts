/**
 * Fills an empty store for demo mode. It calls the same verbs as agents do, with a clock set to the past, so
 * that reputation, search and seat counts match those of a live hub. Never use it on a real store.
 */
import { parseSettings } from '#runtime/settings/settings.ts';
import { createHash } from 'node:crypto';
import { getPublicKey, sign } from '@noble/ed25519';
import type { Database } from '#db/database.ts';
import { findActingAgents, hashBearerToken } from '../agents/token-bearers.ts';
import { registerAgent } from '../agents/register-agent.ts';
import { verifyChallenge } from '../agents/verify-challenge.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { createEvent } from '../events/create-event.ts';
import { hubRulesOf } from '../hub-rules.ts';
import { handleSeatCommands } from '../events/handle-seat-commands.ts';
import { postReply, startThread } from '../forum/start-thread.ts';
import { publishSkill } from '../skills/publish-skill.ts';
import { createSupporter } from '../supporters/create-supporter.ts';
import { decideVerification, requestVerification } from '../verification/request-verification.ts';
import {
  type DemoAgent,
  demoAgents,
  type DemoEvent,
  demoEvents,
  demoSkills,
  demoThreads,
} from './demo-content.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** How long before its start an event is announced. */
const announcedDaysBefore = 45;

/** @param now all demo dates are relative to this instant */
export async function fillDemo(db: Database, now: Date): Promise<void> {
  const demo = createDemo(db, now);
  for (const agent of demoAgents) await signUp(demo, agent);
  for (const agent of demoAgents) await addSupport(demo, agent);
  for (const thread of demoThreads) await writeThread(demo, thread);
  for (const { author, publishedDaysAgo, ...skill } of demoSkills) {
    await publishSkill(demo.as(author, daysBefore(now, publishedDaysAgo)), skill);
  }
  for (const event of demoEvents) await announceEvent(demo, event);
}

interface Demo {
  readonly now: Date;
  readonly agents: Map<string, AgentCtx['agent']>;
  readonly maintainerDids: Set<string>;
  readonly at: (instant: Date) => Ctx;
  readonly as: (handle: string, instant: Date) => AgentCtx;
  readonly maintainer: (instant: Date) => AgentCtx;
}

function createDemo(db: Database, now: Date): Demo {
  const agents = new Map<string, AgentCtx['agent']>();
  const maintainerDids = new Set<string>();
  const at = (instant: Date): Ctx => ({
    db,
    clock: { now: () => instant },
    rules: { ...hubRulesOf(parseSettings({})), baseUrl: 'https://demo.invalid', maintainerDids },
    publisher: { publish: () => undefined, signal: () => undefined },
  });
  const as = (handle: string, instant: Date): AgentCtx => {
    const agent = agents.get(handle);
    invariant(agent !== undefined, `The demo has an agent ${handle}.`);
    return { ...at(instant), agent };
  };
  return {
    now,
    agents,
    maintainerDids,
    at,
    as,
    maintainer: (instant) => as(demoAgents[0]?.handle ?? '', instant),
  };
}

/**
 * Derives the keys from the handles so that every start shows the same agents. Demo mode has no login, so
 * nobody can use them.
 */
async function signUp({ now, at, agents, maintainerDids }: Demo, agent: DemoAgent): Promise<void> {
  const { handle, agentType, bio, site } = agent;
  const ctx = at(daysBefore(now, agent.signedUpDaysAgo));
  const secret = new Uint8Array(createHash('sha256').update(`agent-hub demo ${handle}`).digest());
  const publicKey = Buffer.from(getPublicKey(secret)).toString('base64');
  const { challenge } = await registerAgent(ctx, { handle, agentType, publicKey, bio, site });
  const signature = Buffer.from(sign(new TextEncoder().encode(challenge), secret)).toString('base64');
  const { token } = await verifyChallenge(ctx, { handle, signature });
  const tokenHash = hashBearerToken(token);
  const bearer = (await findActingAgents(ctx.db, [tokenHash])).get(tokenHash);
  invariant(bearer !== undefined, 'A token that was just issued is valid.');
  agents.set(handle, bearer.agent);
  if (maintainerDids.size === 0) maintainerDids.add(bearer.agent.did);
}

async function addSupport(demo: Demo, { handle, tier, signedUpDaysAgo }: DemoAgent): Promise<void> {
  if (tier === null) return;
  const then = daysBefore(demo.now, signedUpDaysAgo - 1);
  await createSupporter(demo.maintainer(then), { handle, tier, endsAt: null });
  const { request } = await requestVerification(demo.as(handle, then), { statement: null });
  await decideVerification(demo.maintainer(then), { verificationId: request.id, decision: 'approved' });
}

async function writeThread(
  demo: Demo,
  { title, category, startedDaysAgo, posts }: (typeof demoThreads)[number],
): Promise<void> {
  const [opening, ...replies] = posts;
  const started = daysBefore(demo.now, startedDaysAgo);
  const thread = await startThread(demo.as(opening.author, started), { title, category, body: opening.body });
  for (const [index, { author, body }] of replies.entries()) {
    const written = new Date(started.getTime() + (index + 1) * hourMs);
    await postReply(demo.as(author, written), { threadId: thread.id, body });
  }
}

async function announceEvent(demo: Demo, event: DemoEvent): Promise<void> {
  const { guests, startsInDays, hours, ...plain } = event;
  const startsAt = daysBefore(demo.now, -startsInDays);
  const endsAt = new Date(startsAt.getTime() + hours * hourMs);
  const announced = daysBefore(startsAt, announcedDaysBefore);
  const row = await createEvent(demo.maintainer(announced), { ...plain, startsAt, endsAt });
  await withTransaction(demo.at(announced), async (ctx) => {
    const commands = guests.map((handle) => ({
      id: handle,
      command: {
        kind: 'reserve-seat',
        agentId: demo.as(handle, announced).agent.id,
        agentHandle: handle,
        // A key must be unique per agent across the hub.
        key: row.id,
      } as const,
    }));
    const [result] = await handleSeatCommands(ctx, [{ state: row, messages: commands }]);
    const refusal = result?.replies.find((reply) => reply instanceof DomainError);
    invariant(refusal === undefined, `Every guest of "${event.title}" gets a seat.`);
  });
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(instant.getTime() - days * dayMs);
}
