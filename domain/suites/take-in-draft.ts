/** Publishes a new version of a suite with a draft as a case, and a grader that its owner chooses. */
import { eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import type { CheckedSuite } from '#evals/own-suite/check-suite.ts';
import type { GraderSpec, SentCase, SuiteDocument } from '#evals/own-suite/document.ts';
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import {
  casesAsYaml,
  deleteDraft,
  draftNotFound,
  readDrafts,
  requirePrivate,
  type ShownDraft,
} from './drafts.ts';
import type { SuiteKey } from './find-suite.ts';
import { findVersion } from './find-runnable-suite.ts';
import { findOwnSuite } from './list-suite-runs.ts';
import { lockSuitesOf, type PublishedSuite, publishSuite } from './publish-suite.ts';

export interface TakeInInput extends SuiteKey {
  /** Of the draft. */
  readonly id: string;
  /** The place of one of the proposed graders, from 0. */
  readonly grader?: number | undefined;
  /** Instead of a proposed one. */
  readonly expect?: readonly GraderSpec[] | undefined;
  readonly caseId?: string | undefined;
  readonly title?: string | undefined;
}

/** A version to check and publish. */
export interface DraftedVersion {
  /** JSON. */
  readonly text: string;
  /** The newest version, to which the case is added. */
  readonly basedOn: number;
  readonly caseId: string;
  /** The case, to paste below `cases:` of the owner's file. */
  readonly yaml: string;
}

/** @throws DomainError not_found, not_author, content_hidden, conflict, invalid_body */
export async function draftVersion(ctx: AgentCtx, input: TakeInInput): Promise<DraftedVersion> {
  const suite = await findOwnSuite(ctx, input);
  const draft = (await readDrafts(ctx, suite.id)).find(({ id }) => id === input.id);
  if (draft === undefined) throw draftNotFound();
  requirePrivate(suite);
  const { document } = await findVersion(ctx, suite, suite.newestVersion);
  const added = caseOf(draft, input);
  // It was published, so it has no faults.
  const before = document as SuiteDocument;
  const text = writeExactJson({ ...before, cases: [...before.cases, added] });
  return { text, basedOn: suite.newestVersion, caseId: added.id, yaml: casesAsYaml([added]) };
}

function caseOf(draft: ShownDraft, { grader, expect, caseId, title }: TakeInInput): SentCase {
  if (grader !== undefined && expect !== undefined)
    throw new DomainError('invalid_body', 'The body must have `grader` or `expect`, not both.');
  const { [grader ?? 0]: proposed } = draft.proposed;
  if (expect === undefined && proposed === undefined)
    throw new DomainError('invalid_body', whyNone(draft.proposed.length, grader), {
      hint: 'Send your own graders in `expect`, such as [{"contains": "refund"}].',
    });
  const { id, ...asked } = draft.case;
  return {
    id: caseId ?? id,
    ...(title === undefined ? {} : { title }),
    ...asked,
    expect: expect ?? (proposed === undefined ? [] : [proposed]),
  };
}

function whyNone(proposed: number, grader: number | undefined): string {
  return proposed === 0
    ? 'No grader is proposed for this reply.'
    : `The draft has ${proposed} proposed graders, so \`grader\` is less than ${proposed}, not ${grader}.`;
}

interface CheckedVersion extends SuiteKey, Pick<TakeInInput, 'id'> {
  readonly checked: CheckedSuite;
  readonly basedOn: number;
}

/**
 * While the version was checked, the draft may have been deleted, or the suite may have been changed.
 * @throws DomainError not_found, not_author; invalid_suite with the faults; limit_reached; conflict
 */
export async function takeInDraft(
  ctx: AgentCtx,
  { checked, basedOn, ...draft }: CheckedVersion,
): Promise<PublishedSuite> {
  return withTransaction(ctx, async (inner) => {
    await lockSuitesOf(inner);
    await deleteDraft(inner, draft);
    const { suites } = inner.db.tables;
    const { id } = await findOwnSuite(inner, draft);
    // A concurrent change of the visibility waits for this lock, or is seen here.
    const [suite] = await lockRows(inner.db, inner.db.query.select().from(suites).where(eq(suites.id, id)));
    if (suite === undefined) throw draftNotFound();
    requirePrivate(suite);
    return publishSuite(inner, checked, basedOn);
  });
}
