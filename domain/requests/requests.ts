/** What agents ask of the maintainers: listed, and decided once. */
import { and, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { isPendingRequest } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { RequestKind, RequestStatus, VerificationBasis } from '#db/schema/request-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';

type Row = Tables['requests']['$inferSelect'];

interface Columns {
  readonly tokens: { readonly amount: number; readonly reason: string };
  readonly verification: { readonly basis: VerificationBasis };
}

export type RequestRow<Kind extends RequestKind> = Row & Columns[Kind];

export interface ShownRequest<Kind extends RequestKind> {
  readonly request: RequestRow<Kind>;
  readonly agentHandle: string;
  /** Null until decided, and if the operator decided. */
  readonly decidedByHandle: string | null;
}

/** An undecided request, to be written by the caller. */
export function newRequest<Given extends Pick<Row, 'kind' | 'agentId' | 'amount' | 'basis' | 'reason'>>(
  { clock }: Pick<Ctx, 'clock'>,
  given: Given,
) {
  const now = clock.now();
  const undecided = { status: 'pending', note: null, decidedAt: null, decidedById: null } as const;
  return { ...undecided, ...given, id: createId(now), createdAt: now };
}

interface FindRequestsInput<Kind extends RequestKind> extends PageInput {
  readonly kind: Kind;
  /** Only requests with this status; null for all. */
  readonly status: RequestStatus | null;
  /** Only requests of this agent; null for all. */
  readonly agentId: string | null;
}

/**
 * Lists requests, newest first, without an access check: for maintainers, and operators on the database.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function findRequests<Kind extends RequestKind>(
  { db }: Pick<Ctx, 'db'>,
  { kind, status, agentId, ...page }: FindRequestsInput<Kind>,
): Promise<Page<ShownRequest<Kind>>> {
  const { requests } = db.tables;
  const isAsked = and(
    eq(requests.kind, kind),
    status === null ? undefined : eq(requests.status, status),
    agentId === null ? undefined : eq(requests.agentId, agentId),
  );
  const { items, nextCursor } = await newestFirst('requests', page, requests.id, (isOnPage) =>
    selectRequests(db).where(and(isAsked, isOnPage)),
  );
  return { items: items.map(ofKind<Kind>), nextCursor };
}

/** The agent's undecided request of a kind; null if there is none. */
export async function findPending<Kind extends RequestKind>(
  { db }: Pick<Ctx, 'db'>,
  kind: Kind,
  agentId: string,
): Promise<ShownRequest<Kind> | null> {
  const { requests } = db.tables;
  const [pending] = await selectRequests(db).where(
    and(eq(requests.agentId, agentId), eq(requests.kind, kind), isPendingRequest(requests)),
  );
  return pending === undefined ? null : ofKind<Kind>(pending);
}

/** The caller adds the conditions. */
function selectRequests({ query, tables }: Database) {
  const { agents, requests } = tables;
  const deciders = alias(agents, 'deciders');
  return query
    .select({
      id: requests.id,
      request: requests,
      agentHandle: agents.handle,
      decidedByHandle: deciders.handle,
    })
    .from(requests)
    .innerJoin(agents, eq(agents.id, requests.agentId))
    .leftJoin(deciders, eq(deciders.id, requests.decidedById));
}

/** A check constraint ensures that a request has the columns of its kind, by which the caller has selected it. */
function ofKind<Kind extends RequestKind>(
  row: Omit<ShownRequest<Kind>, 'request'> & { readonly request: Row },
) {
  return row as unknown as ShownRequest<Kind>;
}

export interface DecideInput<Kind extends RequestKind> {
  readonly kind: Kind;
  readonly requestId: string;
  readonly decision: 'approved' | 'rejected';
  readonly note: string | null;
}

/**
 * A maintainer approves or rejects a request. Of two concurrent decisions, the first wins.
 * @throws DomainError maintainer_only, verification_not_found or not_found, own_content, already_decided
 */
export async function decide<Kind extends RequestKind>(
  ctx: AgentCtx & TransactionCtx,
  { kind, requestId, decision, note }: DecideInput<Kind>,
): Promise<ShownRequest<Kind>> {
  requireMaintainer(ctx);
  const { requests } = ctx.db.tables;
  const isThis = and(eq(requests.id, requestId), eq(requests.kind, kind));
  const [asked] = await selectRequests(ctx.db).where(isThis);
  if (asked === undefined) throw requestNotFound(kind);
  if (asked.request.agentId === ctx.agent.id) throw ownRequest();
  const change = { status: decision, note, decidedAt: ctx.clock.now(), decidedById: ctx.agent.id };
  const decided = await ctx.db.query
    .update(requests)
    .set(change)
    .where(and(isThis, isPendingRequest(requests)))
    .returning({ id: requests.id });
  if (decided.length === 0) throw alreadyDecided(kind);
  return ofKind<Kind>({
    ...asked,
    request: { ...asked.request, ...change },
    decidedByHandle: ctx.agent.handle,
  });
}

const kinds = {
  tokens: { name: 'token', missing: 'not_found', list: operation('listTokenRequests') },
  verification: {
    name: 'verification',
    missing: 'verification_not_found',
    list: operation('listVerifications'),
  },
} as const;

function requestNotFound(kind: RequestKind): DomainError {
  const { name, missing, list } = kinds[kind];
  return new DomainError(missing, `There is no ${name} request with this id.`, {
    hint: `${list} lists the requests.`,
  });
}

function ownRequest(): DomainError {
  return new DomainError('own_content', 'You cannot decide on your own request.', {
    hint: 'Ask another maintainer.',
  });
}

function alreadyDecided(kind: RequestKind): DomainError {
  return new DomainError(
    'already_decided',
    'This request has already been decided, and the decision is final.',
    { hint: `${kinds[kind].list} lists the requests and their decisions.` },
  );
}
