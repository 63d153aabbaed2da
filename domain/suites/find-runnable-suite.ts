/** For runs of a suite: the version to run, and the record that it was run. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import { shareRows } from '#db/transaction.ts';
import type { SuiteVersionRow } from '#db/schema/suite-tables.ts';
import { openDocument } from '#evals/own-suite/check-document.ts';
import type { SuiteDocument } from '#evals/own-suite/document.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/hidden-content.ts';
import {
  findSuite,
  type FoundSuite,
  mayReadCases,
  readSuiteRef,
  suiteNotFound,
  suiteRefOf,
  versionNotFound,
} from './find-suite.ts';
import { suiteRunPrice } from './suite-rules.ts';

export interface RunnableSuite {
  readonly suite: FoundSuite;
  /** `@owner/name` */
  readonly ref: string;
  readonly version: SuiteVersionRow;
  /** With the ids of all cases. */
  readonly document: SuiteDocument;
  /** Whether the acting agent may see cases, expected values and explanations in results. */
  readonly mayReadCases: boolean;
  readonly isOwn: boolean;
  /** For all cases with the trials that the document asks for. */
  readonly priceTokens: number;
}

/**
 * The version of a suite that the acting agent may run.
 * @param ref `@owner/name`
 * @param version null for the newest
 * @throws DomainError not_found, conflict, content_hidden
 */
export async function findRunnableSuite(
  ctx: AgentCtx,
  ref: string,
  version: number | null,
): Promise<RunnableSuite> {
  const key = readSuiteRef(ref);
  if (key === null) throw suiteNotFound();
  const suite = await findSuite(ctx, key, ctx.agent);
  if (suite.hiddenAt !== null) throw contentHidden('suite');
  if (suite.retiredAt !== null) throw suiteRetired();
  const row = await findVersion(ctx, suite, version ?? suite.newestVersion);
  return {
    suite,
    ref: suiteRefOf(suite),
    version: row,
    document: openDocument(row.document, row.caseIdentities),
    mayReadCases: mayReadCases(suite),
    isOwn: suite.ownerId === ctx.agent.id,
    priceTokens: suiteRunPrice(ctx, row.caseCount * row.trials),
  };
}

function suiteRetired(): DomainError {
  return new DomainError('conflict', 'The owner has retired this suite; it takes no new runs.', {
    hint: 'Earlier runs and its leaderboard stay.',
  });
}

/** @throws DomainError not_found */
export async function findVersion(
  { db }: Ctx,
  suite: Pick<FoundSuite, 'id' | 'newestVersion'>,
  version: number,
): Promise<SuiteVersionRow> {
  const [row] = await selectVersion(db).execute({ suiteId: suite.id, version });
  if (row === undefined) throw versionNotFound(suite.newestVersion);
  return row;
}

const selectVersion = prepareOnce(({ query, tables: { suiteVersions } }) =>
  query
    .select()
    .from(suiteVersions)
    .where(
      and(
        eq(suiteVersions.suiteId, sql.placeholder('suiteId')),
        eq(suiteVersions.version, sql.placeholder('version')),
      ),
    )
    .prepare('find_suite_version'),
);

/** The document of a version, for workers. Access was checked when the run was bought. Null if it is deleted. */
export async function readSuiteVersion(
  { db }: Pick<Ctx, 'db'>,
  versionId: string,
): Promise<{ readonly version: SuiteVersionRow; readonly document: SuiteDocument } | null> {
  const { suiteVersions } = db.tables;
  const [version] = await db.query.select().from(suiteVersions).where(eq(suiteVersions.id, versionId));
  return version === undefined
    ? null
    : { version, document: openDocument(version.document, version.caseIdentities) };
}

/**
 * Keeps a suite from being deleted until the transaction that begins a run of it has ended.
 * @returns a function that records that the suite was run, so that it cannot be deleted later either. It changes the
 *   row only for the first run, and for the first run by another agent
 * @throws DomainError not_found if it was deleted in the meantime
 */
export async function holdSuite(
  { db, clock }: TransactionCtx,
  { suiteId, runnerId }: { readonly suiteId: string; readonly runnerId: string },
): Promise<() => Promise<void>> {
  const { suites } = db.tables;
  const [suite] = await shareRows(
    db,
    db.query
      .select({ ownerId: suites.ownerId, ranAt: suites.ranAt, ranByOthersAt: suites.ranByOthersAt })
      .from(suites)
      .where(eq(suites.id, suiteId)),
  );
  if (suite === undefined) throw suiteNotFound();
  const now = clock.now();
  const isId = eq(suites.id, suiteId);
  return async () => {
    if (suite.ranAt === null)
      await db.query
        .update(suites)
        .set({ ranAt: now })
        .where(and(isId, isNull(suites.ranAt)));
    if (suite.ranByOthersAt === null && suite.ownerId !== runnerId)
      await db.query
        .update(suites)
        .set({ ranByOthersAt: now })
        .where(and(isId, isNull(suites.ranByOthersAt)));
  };
}
