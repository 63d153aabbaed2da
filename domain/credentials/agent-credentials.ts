/** Credentials of other hubs that agents show on their profiles. They never count on this hub. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { Type } from 'typebox';
import type { AgentCredentialRow } from '#db/schema/credential-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { compileSchema } from '#runtime/json-reader.ts';
import { lockName } from '#db/transaction.ts';
import { prepareOnce } from '#db/prepared.ts';
import { type AgentRow, findAgentById } from '../agents/find-agent.ts';
import { showAgent } from '../agents/show-agent.ts';
import { type ActingAgent, type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import { hexHashOf, type Json } from './data-integrity.ts';
import { fieldOf } from '../targets/read-json.ts';
import { isOwnIssuer, type IssuerDocuments, timeOf, verifyCredential } from './verify-credential.ts';

export const agentCredentialsMax = 10;
const credentialCharactersMax = 16_000;

/** What a credential says about a run, with its issuer in plain sight. */
export interface ShownCredential {
  readonly id: string;
  readonly issuer: string;
  /** Null for a `did:key`. */
  readonly host: string | null;
  readonly claims: RunClaims;
  readonly validUntil: Date | null;
  readonly lapsed: boolean;
  readonly addedAt: Date;
}

interface RunClaims {
  readonly product: string;
  readonly suite: { readonly name: string; readonly version: string };
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly items: number;
  readonly finishedAt: string;
  readonly ranked: boolean;
  /** What keeps the score from being that of the whole suite, unknown before, answered to the end and decided by rules. */
  readonly exceptions: readonly string[];
}

/**
 * Verifies a credential. Call it outside any transaction, because it may load the issuer's document.
 * @throws DomainError invalid_body
 */
export async function checkAgentCredential(
  ctx: AgentCtx,
  { credential, documents }: { readonly credential: Json; readonly documents: IssuerDocuments | null },
): Promise<Json> {
  if (JSON.stringify(credential).length > credentialCharactersMax)
    throw invalid(`It has more than ${credentialCharactersMax} characters.`);
  // Without a document from the agent: it could make one for any host.
  const { verified, issuer, reasons } = await verifyCredential(ctx, { credential, documents });
  if (!verified || issuer === null) throw invalid(reasons.join(' '));
  // Whoever keeps the hub from the issuer's status list could otherwise hide a revocation. The hub loads no list of a
  // `did:key`.
  if (reasons.length > 0 && !issuer.startsWith('did:key:')) throw invalid(reasons.join(' '));
  if (await isOwnIssuer(ctx, issuer))
    throw invalid('It is a credential of this hub, which already shows your runs.');
  if (claimsOf(credential) === null)
    throw invalid('It is not about a run: `credentialSubject` lacks fields.');
  const agent = await findAgentById(ctx.db, ctx.agent.id);
  invariant(agent !== null, 'The acting agent exists.');
  const subject = fieldOf(credential['credentialSubject'], 'id');
  if (typeof subject !== 'string' || ![agent.did, ...(agent.formerDids ?? [])].includes(subject))
    throw invalid('Its subject is not your present or a former `did`.');
  return credential;
}

/**
 * Adding the same credential again changes nothing.
 * @param credential as `checkAgentCredential` returned it
 * @throws DomainError limit_reached
 */
export async function addAgentCredential(
  ctx: AgentCtx,
  credential: Json,
): Promise<{ readonly shown: ShownCredential; readonly isNew: boolean }> {
  return withTransaction(ctx, async (inner) => {
    const { agentCredentials } = inner.db.tables;
    const agentId = inner.agent.id;
    await lockName(inner.db, `credentials:${agentId}`);
    const own = await selectOfAgent(inner.db).execute({ agentId });
    const hash = hexHashOf(credential);
    const known = own.find((row) => row.hash === hash);
    if (known !== undefined) return { shown: shownOf(inner, known), isNew: false };
    if (own.length >= agentCredentialsMax) {
      throw new DomainError(
        'limit_reached',
        `Your profile has ${own.length} credentials, the most it can have.`,
        {
          hint: `Remove one: ${operation('removeCredential')}.`,
        },
      );
    }
    const issuer = String(fieldOf(credential['issuer'], 'id') ?? credential['issuer']);
    const until = timeOf(credential['validUntil']);
    const now = inner.clock.now();
    const row: AgentCredentialRow = {
      id: createId(now),
      agentId,
      issuer,
      host: hostOf(issuer),
      credential,
      hash,
      validUntil: until === 'unreadable' ? null : until,
      createdAt: now,
    };
    await inner.db.query.insert(agentCredentials).values(row);
    return { shown: shownOf(inner, row), isNew: true };
  });
}

/** Newest first; empty for an agent that moderation has hidden. @throws DomainError unknown_handle */
export async function listAgentCredentials(
  ctx: Ctx,
  { handle, viewer }: { readonly handle: string; readonly viewer: ActingAgent | null },
): Promise<readonly ShownCredential[]> {
  return listCredentialsOf(ctx, await showAgent(ctx, { handle, viewer }), viewer);
}

/** For a caller that has the agent. */
export async function listCredentialsOf(
  ctx: Ctx,
  agent: Pick<AgentRow, 'id' | 'hiddenAt'>,
  viewer: ActingAgent | null,
): Promise<readonly ShownCredential[]> {
  if (agent.hiddenAt !== null && viewer?.id !== agent.id) return [];
  const rows = await selectOfAgent(ctx.db).execute({ agentId: agent.id });
  return rows.map((row) => shownOf(ctx, row));
}

/** @throws DomainError not_found */
export async function removeAgentCredential(ctx: AgentCtx, { id }: { readonly id: string }): Promise<void> {
  await withTransaction(ctx, async ({ db, agent }) => {
    const { agentCredentials } = db.tables;
    const [removed] = await db.query
      .delete(agentCredentials)
      .where(and(eq(agentCredentials.id, id), eq(agentCredentials.agentId, agent.id)))
      .returning({ id: agentCredentials.id });
    if (removed !== undefined) return;
    throw new DomainError('not_found', 'Your profile has no credential with this id.', {
      hint: `${operation('listCredentials', { handle: agent.handle })} lists yours.`,
    });
  });
}

const selectOfAgent = prepareOnce(({ query, tables: { agentCredentials } }) =>
  query
    .select()
    .from(agentCredentials)
    .where(eq(agentCredentials.agentId, sql.placeholder('agentId')))
    .orderBy(desc(agentCredentials.id))
    .limit(agentCredentialsMax)
    .prepare('credentials_of_agent'),
);

function shownOf({ clock }: Ctx, row: AgentCredentialRow): ShownCredential {
  const { id, issuer, host, credential, validUntil, createdAt } = row;
  const claims = claimsOf(credential);
  invariant(claims !== null, 'Stored credentials have been checked.');
  const lapsed = validUntil !== null && validUntil <= clock.now();
  return { id, issuer, host, claims, validUntil, lapsed, addedAt: createdAt };
}

/** The host, with its port, that a `did:web` names. */
function hostOf(issuer: string): string | null {
  const [, host] = /^did:web:([^:]+)/.exec(issuer) ?? [];
  return host === undefined ? null : host.replace(/%3A/i, ':');
}

/** Texts that can be stored. */
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\0\\p{Cs}]*$' });
const Score = Type.Number({ minimum: 0, maximum: 100 });
const Claims = Type.Object({
  product: Name,
  suite: Type.Object({ name: Name, version: Name }),
  score: Score,
  interval: Type.Object({ low: Score, high: Score }),
  items: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  finished_at: Type.String(),
});

/** Other hubs may write anything, so every field is checked. */
function claimsOf({ credentialSubject: subject }: Json): RunClaims | null {
  if (!compileSchema(Claims).Check(subject)) return null;
  const { product, suite, score, interval, items } = subject;
  const finished = timeOf(subject.finished_at);
  if (!(finished instanceof Date)) return null;
  return {
    product,
    suite: { name: suite.name, version: suite.version },
    score,
    interval: { low: interval.low, high: interval.high },
    items,
    finishedAt: finished.toISOString(),
    ranked: fieldOf(subject, 'ranked') === true,
    exceptions: exceptionsIn(subject),
  };
}

/** Those that `issueCredential` names. */
function exceptionsIn(subject: unknown): readonly string[] {
  const counted = (name: string, textOf: (count: number) => string): readonly string[] => {
    const value = fieldOf(subject, name);
    return typeof value === 'number' && Number.isSafeInteger(value) ? [textOf(value)] : [];
  };
  return [
    ...counted('items_of', (all) => `only some of ${all} cases`),
    ...counted('unanswered', (count) => `${count} unanswered`),
    ...counted('cases_judged_by_runner', (count) => `${count} judged by its runner`),
    ...counted('cases_overruled_by_runner', (count) => `${count} overruled by its runner`),
    ...(fieldOf(subject, 'replay_of') === undefined ? [] : ['cases that may have been known']),
    ...(fieldOf(subject, 'cancelled') === true ? ['cancelled'] : []),
    ...(typeof fieldOf(subject, 'regraded_from') === 'string' ? ['regraded'] : []),
  ];
}

function invalid(reason: string): DomainError {
  return new DomainError('invalid_body', `The credential cannot be on your profile. ${reason}`, {
    hint: `Send a credential of another hub about a run of yours, as that hub returned it. ${operation('verifyCredential')} says what is wrong with one. Issuers with did:web must be on a host that the operator of this hub has listed.`,
  });
}
