import { and, desc, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { isContactMail } from '#db/schema/index-conditions.ts';
import type { SupportTier } from '#db/schema/standing-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { enforceContactLimit } from '../contact/send-contact-message.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { keepEndedMailsMs } from '../mail/mail-limits.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';

export type SupportRow = Tables['supporters']['$inferSelect'];

/**
 * The condition for support that is active at `now`. Support ends at `ends_at`, so that instant is excluded.
 */
function isActiveSupport({ tables }: Database, now: Date): SQL | undefined {
  const { supporters } = tables;
  return and(isNull(supporters.endedAt), or(isNull(supporters.endsAt), gt(supporters.endsAt, now)));
}

/** The agent's active support, or null. */
export async function findActiveSupport(
  db: Database,
  agentId: string,
  now: Date,
): Promise<SupportRow | null> {
  const { supporters } = db.tables;
  const [support] = await db.query
    .select()
    .from(supporters)
    .where(and(eq(supporters.agentId, agentId), isActiveSupport(db, now)));
  return support ?? null;
}

/** The agent's active support, otherwise its last one, or null. */
async function findLatestSupport(db: Database, agentId: string): Promise<SupportRow | null> {
  const { supporters } = db.tables;
  const [support] = await db.query
    .select()
    .from(supporters)
    .where(eq(supporters.agentId, agentId))
    .orderBy(desc(supporters.id))
    .limit(1);
  return support ?? null;
}

export interface ListedSupporter extends Pick<SupportRow, 'id' | 'tier' | 'since' | 'endsAt'> {
  readonly handle: string;
}

/**
 * Lists active supporters, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export function listSupporters({ db, clock }: Ctx, input: PageInput): Promise<Page<ListedSupporter>> {
  const { agents, supporters } = db.tables;
  const { id, tier, since, endsAt } = supporters;
  return newestFirst('supporters', input, id, (isOnPage) =>
    db.query
      .select({ id, handle: agents.handle, tier, since, endsAt })
      .from(supporters)
      .innerJoin(agents, eq(agents.id, supporters.agentId))
      .where(and(isActiveSupport(db, clock.now()), isOnPage)),
  );
}

export interface SupportStatus {
  readonly active: boolean;
  /** Start of the active or, if there is none, the last support; null if there never was any. */
  readonly since: Date | null;
  /** When it ends or ended; null for no agreed end. */
  readonly endsAt: Date | null;
}

export async function showSupportStatus(ctx: AgentCtx): Promise<SupportStatus> {
  const support = await findLatestSupport(ctx.db, ctx.agent.id);
  return support === null ? { active: false, since: null, endsAt: null } : statusOf(support, ctx.clock.now());
}

export function statusOf({ since, endsAt, endedAt }: SupportRow, now: Date): SupportStatus {
  const end = endedAt === null || (endsAt !== null && endsAt < endedAt) ? endsAt : endedAt;
  return { active: endedAt === null && (endsAt === null || endsAt > now), since, endsAt: end };
}

/** In code points. */
export const intentContactLengthMax = 200;

interface RecordSupportIntentInput {
  readonly tier: SupportTier;
  /** How to reach the visitor. Only the operator sees it. */
  readonly contact: string | null;
  /** Identifies the visitor's network; from `hashNetwork`. */
  readonly networkHash: string;
}

/**
 * Puts a visitor's interest in supporting the hub into the operator's inbox. Nothing else follows: no account,
 * subscription or charge.
 *
 * @throws DomainError contact_rate_limited, because it reaches the same people as a contact message
 */
export async function recordSupportIntent(ctx: Ctx, input: RecordSupportIntentInput): Promise<void> {
  const { contact, networkHash, tier } = input;
  await withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { inboxEmails } = db.tables;
    await enforceContactLimit(inner, networkHash, {
      table: inboxEmails,
      createdAt: inboxEmails.receivedAt,
      networkHash: inboxEmails.networkHash,
    });
    const now = clock.now();
    const id = createId(now);
    await db.query.insert(inboxEmails).values({
      id,
      identity: id,
      sender: contact ?? '',
      recipients: '',
      subject: `Interest in supporting the hub: ${tier}`,
      text: '',
      attachments: [],
      status: 'new',
      receivedAt: now,
      updatedAt: now,
      networkHash,
    });
  });
}

/** Interest in supporting the hub that names this agent. An email may come from the same `sender`. */
export function isIntentOf({ id, identity, sender }: Tables['inboxEmails'], handle: string): SQL | undefined {
  return and(eq(sender, handle), sql`${identity} = cast(${id} as text)`);
}

/** Forgets the networks of visitors, which are personal data, as soon as those of contact messages. */
export async function forgetIntentNetworks(ctx: Ctx): Promise<number> {
  const { inboxEmails } = ctx.db.tables;
  const before = new Date(ctx.clock.now().getTime() - keepEndedMailsMs);
  const forgotten = await withTransaction(ctx, ({ db }) =>
    db.query
      .update(inboxEmails)
      .set({ networkHash: null })
      .where(and(isContactMail(inboxEmails), lt(inboxEmails.receivedAt, before)))
      .returning({ id: inboxEmails.id }),
  );
  return forgotten.length;
}
