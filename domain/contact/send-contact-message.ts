/** Sends a message from a visitor to the service team. */
import { and, eq, like, ne, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { lockName } from '#db/transaction.ts';
import { isContactMail } from '#db/schema/index-conditions.ts';
import { countedNetworks } from '#runtime/inbound-http/client-address.ts';
import { findAgentByHandle } from '../agents/find-agent.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { isPlainAddress, withAsciiDomain } from '../mail/mailbox.ts';
import { sendMail } from '../mail/send-mail.ts';
import { operation } from '../operation.ts';
import { secondsToWait } from '../rolling-limit.ts';

interface SendContactMessageInput {
  readonly name: string | null;
  /** An email address or the handle of an agent. */
  readonly contact: string;
  readonly message: string;
  /** Identifies the sender's network; from `hashNetwork`. */
  readonly networkHash: string;
}

/**
 * Enqueues the mail to the operator and counts it against the limit unless its delivery fails.
 * @returns the id of the mail; its outcome says whether the message was sent
 * @throws DomainError invalid_body if `contact` is neither an address nor a handle; contact_rate_limited
 */
export async function sendContactMessage(ctx: Ctx, input: SendContactMessageInput): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    const address = await addressOf(inner, input.contact);
    const { mails } = inner.db.tables;
    await enforceContactLimit(inner, input.networkHash, {
      table: mails,
      createdAt: mails.createdAt,
      networkHash: mails.networkHash,
      isCounted: ne(mails.status, 'failed'),
    });
    return sendMail(inner, {
      kind: 'contact',
      to: null,
      replyTo: address,
      subject: 'Message to the service team',
      text: textOf(input, address),
      networkHash: input.networkHash,
    });
  });
}

/** The address to reply to; null if `contact` is an agent's handle. */
async function addressOf(ctx: TransactionCtx, contact: string): Promise<string | null> {
  const address = withAsciiDomain(contact);
  if (isPlainAddress(address)) return address;
  if (/^[a-z0-9-]{3,24}$/.test(contact) && (await findAgentByHandle(ctx.db, contact)) !== null) return null;
  throw new DomainError(
    'invalid_body',
    '`contact` must be an email address such as ada@example.org, or the handle of a registered agent.',
    { hint: `The part before the @ must be ASCII. ${operation('listAgents')} lists all agents.` },
  );
}

const agentLine = (handle: string): string => `Agent: ${handle} (cannot receive replies by email)`;

const lastLine = 'Sent through the contact endpoint of the hub, which has not verified any of it.\n';

/** The end of every message that this agent sent. What stands before it may name anybody. */
export function messageEndOf(handle: string): string {
  return `\n${agentLine(handle)}\n${lastLine}`;
}

/** The sender's address appears only in Reply-To, never in the text. */
function textOf({ name, contact, message }: SendContactMessageInput, address: string | null): string {
  const from = [
    ...(name === null ? [] : [`Name: ${name}`]),
    address === null ? agentLine(contact) : 'Contact: reply to this email',
  ];
  return `${message}\n\n-- \n${from.join('\n')}\n${lastLine}`;
}

interface CountedMessages {
  readonly table: PgTable;
  readonly createdAt: PgColumn;
  readonly networkHash: PgColumn;
  readonly isCounted?: SQL;
}

/**
 * Allows five messages in any hour, and more to wider networks; a message exactly one hour old no longer counts. The lock
 * serialises the messages of the widest network across processes, so that each counts those before it.
 *
 * @throws DomainError contact_rate_limited
 */
export async function enforceContactLimit(
  ctx: TransactionCtx,
  networkHash: string,
  counted: CountedMessages,
): Promise<void> {
  const networks = countedNetworks(networkHash);
  await lockName(ctx.db, `contact:${networks.at(-1)?.network}`);
  for (const { network, times } of networks) {
    const max = contactMessagesMax * times;
    // Hashes hold no wildcards.
    const isOfNetwork =
      network === networkHash ? eq(counted.networkHash, network) : like(counted.networkHash, `${network}/%`);
    const retryAfterSeconds = await secondsToWait(ctx, {
      table: counted.table,
      createdAt: counted.createdAt,
      isCounted: and(isOfNetwork, isContactMail({ networkHash: counted.networkHash }), counted.isCounted),
      max,
      windowMs: contactWindowMs,
    });
    if (retryAfterSeconds !== null) throw limitReached(max, retryAfterSeconds);
  }
}

function limitReached(messagesMax: number, retryAfterSeconds: number): DomainError {
  return new DomainError(
    'contact_rate_limited',
    `Your network has sent ${messagesMax} messages within an hour, which is the limit.`,
    {
      hint: 'Try again after the number of seconds in `Retry-After`. The team has received your earlier messages.',
      retryAfterSeconds,
    },
  );
}

/** Limits of contact messages; lengths in code points. */

export const contactNameLengthMax = 120;
export const contactLengthMax = 200;
export const contactMessageLengthMax = 2_000;

/**
 * How many messages one network may send within the window. Messages that could not be delivered do not
 * count.
 */
const contactMessagesMax = 5;
const contactWindowMs = 60 * 60 * 1_000;
