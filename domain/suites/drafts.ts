/** Drafts of a private suite: conversations as they happened, which its owner may publish as cases. */
import { and, asc, eq, sql } from 'drizzle-orm';
import { stringify } from 'yaml';
import { shareRows } from '#db/transaction.ts';
import type { DraftVerdict, SuiteDraftRow, SuiteRow } from '#db/schema/suite-tables.ts';
import type { GraderSpec, SentCase } from '#evals/own-suite/document.ts';
import { hashAsked } from '#evals/own-suite/identity.ts';
import { maxDocumentBytes } from '#evals/own-suite/limits.ts';
import { proposeGraders } from '#evals/own-suite/propose-grader.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type SuiteKey, suiteNotFound } from './find-suite.ts';
import { findOwnSuite } from './list-suite-runs.ts';
import { lockSuitesOf, requireBytes } from './publish-suite.ts';
import { readConversation, type SentConversation } from './read-conversation.ts';
import { draftsPerSuiteMax } from './suite-rules.ts';

export interface ShownDraft extends Pick<SuiteDraftRow, 'id' | 'verdict' | 'createdAt'> {
  /** Its `expect` has the first proposed grader, and is empty if there is none. */
  readonly case: SentCase;
  /** Graders that fit its reply, the most likely one first. */
  readonly proposed: readonly GraderSpec[];
}

interface AddDraftInput extends SuiteKey {
  readonly sent: SentConversation;
  readonly verdict: DraftVerdict;
}

/** @throws DomainError not_found, not_author, content_hidden, invalid_body, conflict, limit_reached */
export async function addDraft(ctx: AgentCtx, { sent, verdict, ...key }: AddDraftInput): Promise<ShownDraft> {
  const { id: suiteId } = await findOwnSuite(ctx, key);
  const { asked, reply } = readConversation(sent);
  return withTransaction(ctx, async (inner) => {
    await lockSuitesOf(inner);
    const { suiteDrafts, suites } = inner.db.tables;
    const [suite] = await shareRows(
      inner.db,
      inner.db.query.select({ visibility: suites.visibility }).from(suites).where(eq(suites.id, suiteId)),
    );
    if (suite === undefined) throw suiteNotFound();
    requirePrivate(suite);
    const bytes = Buffer.byteLength(JSON.stringify([asked, reply]));
    const [kept] = await inner.db.query
      .select({
        drafts: sql`count(*)`.mapWith(Number),
        bytes: sql`coalesce(sum(${suiteDrafts.bytes}), 0)`.mapWith(Number),
      })
      .from(suiteDrafts)
      .where(eq(suiteDrafts.suiteId, suiteId));
    if ((kept?.drafts ?? 0) >= draftsPerSuiteMax || (kept?.bytes ?? 0) + bytes > maxDocumentBytes)
      throw new DomainError(
        'limit_reached',
        `A suite has at most ${draftsPerSuiteMax} drafts, which together have at most ${maxDocumentBytes / 1024 / 1024} MB.`,
        { hint: 'Publish drafts as cases, or delete some.' },
      );
    await requireBytes(inner, bytes);
    const now = inner.clock.now();
    const draft: SuiteDraftRow = {
      id: createId(now),
      suiteId,
      asked,
      reply,
      verdict,
      hash: hashAsked(asked),
      bytes,
      createdAt: now,
    };
    await inner.db.query.insert(suiteDrafts).values(draft);
    return showDraft(draft);
  });
}

/** @throws DomainError conflict */
export function requirePrivate({ visibility }: Pick<SuiteRow, 'visibility'>): void {
  if (visibility === 'private') return;
  throw new DomainError('conflict', `Only a private suite takes drafts; this one is ${visibility}.`, {
    hint: 'Make it private, or publish a version with the case in its file.',
  });
}

/**
 * Oldest first.
 * @throws DomainError not_found, not_author, content_hidden
 */
export async function listDrafts(ctx: AgentCtx, key: SuiteKey): Promise<readonly ShownDraft[]> {
  return readDrafts(ctx, (await findOwnSuite(ctx, key)).id);
}

/** For the owner of the suite only. */
export async function readDrafts({ db }: Ctx, suiteId: string): Promise<readonly ShownDraft[]> {
  const { suiteDrafts } = db.tables;
  const rows = await db.query
    .select()
    .from(suiteDrafts)
    .where(eq(suiteDrafts.suiteId, suiteId))
    .orderBy(asc(suiteDrafts.id))
    .limit(draftsPerSuiteMax);
  return rows.map(showDraft);
}

/** @throws DomainError not_found, not_author, content_hidden */
export async function deleteDraft(ctx: AgentCtx, { id, ...key }: SuiteKey & { id: string }): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const suite = await findOwnSuite(inner, key);
    const { suiteDrafts } = inner.db.tables;
    const gone = await inner.db.query
      .delete(suiteDrafts)
      .where(and(eq(suiteDrafts.id, id), eq(suiteDrafts.suiteId, suite.id)))
      .returning({ id: suiteDrafts.id });
    if (gone.length === 0) throw draftNotFound();
  });
}

export function draftNotFound(): DomainError {
  return new DomainError('not_found', 'The suite has no draft with this id; it may be published already.');
}

/** Cases to paste below `cases:` of a suite; empty if there are none. */
export function casesAsYaml(cases: readonly object[]): string {
  return stringify({ cases }, { lineWidth: 0, aliasDuplicateObjects: false }).replace(
    /^cases:(?: \[\])?\n/,
    '',
  );
}

function showDraft({ id, asked, reply, verdict, createdAt }: SuiteDraftRow): ShownDraft {
  const proposed = proposeGraders(reply, verdict);
  return {
    id,
    verdict,
    createdAt,
    proposed,
    case: {
      id: `draft-${id.slice(-12)}`,
      ...asked,
      expect: proposed.slice(0, 1),
      [verdict]: [reply],
    },
  };
}
