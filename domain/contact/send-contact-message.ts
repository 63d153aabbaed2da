/** Somebody writes to the service team. */
import { and, desc, eq, gt } from 'drizzle-orm';
import { lockName } from '#db/locks.ts';
import { findAgentByHandle } from '../agents/find-agent.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { isPlainAddress } from '../mail/mailbox.ts';
import { sendMail } from '../mail/send-mail.ts';
import { contactMessagesMax, contactWindowMs } from './contact-limits.ts';

export interface SendContactMessageInput {
  readonly name: string | null;
  /** A mail address, or the handle of an agent. */
  readonly contact: string;
  readonly message: string;
  /** Stands for the network that the message comes from. */
  readonly networkHash: string;
}

/**
 * Promises the mail to the operator and counts it against the limit, until its delivery fails.
 * @returns the id of the mail, whose outcome tells whether the message was sent
 * @throws DomainError invalid_body for a contact that is neither, contact_rate_limited
 */
export async function sendContactMessage(ctx: Ctx, input: SendContactMessageInput): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    const address = await addressOf(inner, input.contact);
    await enforceContactLimit(inner, input.networkHash);
    const mailId = await sendMail(inner, {
      kind: 'contact',
      to: null,
      replyTo: address,
      subject: 'Message to the service team',
      text: textOf(input, address),
    });
    await inner.db.query.insert(inner.db.tables.contactLog).values({
      mailId,
      networkHash: input.networkHash,
      createdAt: inner.clock.now(),
    });
    return mailId;
  });
}

/** The mail address to reply to; null where `contact` is an agent's handle. */
async function addressOf(ctx: TransactionCtx, contact: string): Promise<string | null> {
  if (isPlainAddress(contact)) return contact;
  if (/^[a-z0-9-]{3,24}$/.test(contact) && (await findAgentByHandle(ctx.db, contact)) !== null) return null;
  throw new DomainError(
    'invalid_body',
    '`contact` must be a mail address such as ada@example.org, or the handle of a registered agent.',
    { hint: 'GET /v1/agents lists all agents. Write a domain that is not ASCII in its xn-- form.' },
  );
}

/** The address of the sender goes into Reply-To alone (decisions.md section 7). */
function textOf({ name, contact, message }: SendContactMessageInput, address: string | null): string {
  const from = [
    ...(name === null ? [] : [`Name: ${name}`]),
    address === null ? `Agent: ${contact} (replies by mail do not reach it)` : 'Contact: reply to this mail',
  ];
  return `${message}\n\n-- \n${from.join('\n')}\nSent through POST /v1/contact. Nothing in it was checked.\n`;
}

/**
 * Five in any hour (interface.md "Limits"); a message that is exactly an hour old has left the window. Messages of one
 * network come one after the other, so that each counts those before it, whichever process took them.
 */
async function enforceContactLimit(ctx: TransactionCtx, networkHash: string): Promise<void> {
  const { contactLog } = ctx.db.tables;
  await lockName(ctx.db, `contact:${networkHash}`);
  const now = ctx.clock.now();
  const recent = await ctx.db.query
    .select({ createdAt: contactLog.createdAt })
    .from(contactLog)
    .where(
      and(
        eq(contactLog.networkHash, networkHash),
        gt(contactLog.createdAt, new Date(now.getTime() - contactWindowMs)),
      ),
    )
    .orderBy(desc(contactLog.createdAt))
    .limit(contactMessagesMax);
  const oldest = recent[contactMessagesMax - 1];
  if (oldest === undefined) return;
  const waitMs = oldest.createdAt.getTime() + contactWindowMs - now.getTime();
  throw new DomainError(
    'contact_rate_limited',
    `Your network has sent ${contactMessagesMax} messages within an hour, which is the limit.`,
    {
      hint: 'Wait as many seconds as `Retry-After` says. The team reads what it has already.',
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    },
  );
}
