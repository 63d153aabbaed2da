/** An agent publishes a suite, or a new version of it. Versions are immutable and identified by their content. */
import { and, eq, sql } from 'drizzle-orm';
import type { SuiteRow, SuiteVersionRow } from '#db/schema/suite-tables.ts';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import type { CheckedSuite, FaultySuite, SoundSuite, SuiteFault } from '#evals/own-suite/check-suite.ts';
import { type CaseIdentity, compareCases, isNamedByContent } from '#evals/own-suite/identity.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { addImages, findImageFaults, newImages, sizeOf } from './suite-images.ts';
import { judgeEvent } from '../notifications/notification-kinds.ts';
import { operation } from '../operation.ts';
import {
  dropTakenDrafts,
  insertSuite,
  insertVersion,
  renewSuite,
  saveSuiteWords,
  saveTags,
} from './suite-rows.ts';
import {
  suiteBytesPerAgentMax,
  suiteRunPrice,
  suitesPerAgentMax,
  versionsPerSuiteMax,
} from './suite-rules.ts';

export interface SuiteReport {
  readonly ok: boolean;
  readonly faults: readonly SuiteFault[];
  readonly warnings: readonly string[];
  readonly replies: CheckedSuite['replies'];
  /** Null for a faulty suite, with the price. */
  readonly size: SoundSuite['size'] | null;
  readonly priceTokens: number | null;
}

/**
 * The report on a suite that is not stored, including whether its judges are webhooks of the acting agent, and whether its
 * suite has the images that it names by their hash.
 * @throws DomainError invalid_suite with the files that are missing
 */
export async function reportOnSuite(ctx: AgentCtx, checked: CheckedSuite): Promise<SuiteReport> {
  if (!checked.ok && checked.missing !== undefined) throw filesMissing(checked.missing);
  if (!checked.ok) return { ...checked, warnings: [], size: null, priceTokens: null };
  const { suites } = ctx.db.tables;
  const [known] = await ctx.db.query
    .select({ id: suites.id })
    .from(suites)
    .where(and(eq(suites.ownerId, ctx.agent.id), eq(suites.name, checked.document.name)));
  const faults = [
    ...(await findJudgeFaults(ctx, checked)),
    ...(await findImageFaults(ctx, known?.id ?? null, checked)),
  ];
  const { size, warnings, replies } = checked;
  return {
    ok: faults.length === 0,
    faults,
    warnings,
    replies,
    size,
    priceTokens: suiteRunPrice(ctx, size.replies),
  };
}

export interface PublishedSuite {
  readonly suite: SuiteRow;
  readonly version: SuiteVersionRow;
  /** False if the suite already had a version with the same content. */
  readonly created: boolean;
  /** What is allowed, but may be a mistake: a misspelt word may make a grader pass everything. */
  readonly warnings: readonly string[];
  /**
   * A later version with cases that this one has not or, of a new version, the one before it; null if no case is missing.
   * Drafts that were taken in are in no file of the owner, and have ids. A case without one may only be edited.
   */
  readonly lacks: { readonly version: number; readonly cases: number } | null;
}

/**
 * A new suite begins as private. A new version replaces title and description if the document has them.
 * @param basedOn the version that the document was made of, which must still be the newest
 * @throws DomainError invalid_suite with the faults; limit_reached; conflict
 */
export async function publishSuite(
  ctx: AgentCtx,
  checked: CheckedSuite,
  basedOn: number | null = null,
): Promise<PublishedSuite> {
  if (!checked.ok) throw refused(checked);
  const { warnings } = checked;
  return withTransaction(ctx, async (inner) => {
    const faults = await findJudgeFaults(inner, checked);
    if (faults.length > 0) throw invalidSuite(faults);
    const { suites, suiteVersions } = inner.db.tables;
    await lockSuitesOf(inner);
    const [known] = await inner.db.query
      .select()
      .from(suites)
      .where(and(eq(suites.ownerId, ctx.agent.id), eq(suites.name, checked.document.name)));
    if (basedOn !== null && known?.newestVersion !== basedOn) throw changedMeanwhile();
    if (known !== undefined) {
      const [same] = await inner.db.query
        .select()
        .from(suiteVersions)
        .where(and(eq(suiteVersions.suiteId, known.id), eq(suiteVersions.hash, checked.hash)));
      if (same !== undefined && basedOn !== null) throw isOlderVersion(same);
      if (same !== undefined) {
        const lacks = lackedOf(known.newestVersion, await findNewestIdentities(inner, known), same);
        return { suite: known, version: same, created: false, warnings, lacks };
      }
    }
    const unknown = await findImageFaults(inner, known?.id ?? null, checked);
    if (unknown.length > 0) throw invalidSuite(unknown);
    const images = await newImages(inner, known?.id ?? null, checked);
    await requireRoom(inner, known ?? null, checked.bytes + sizeOf(images));
    const suite =
      known === undefined ? await insertSuite(inner, checked) : await renewSuite(inner, known, checked);
    const before = known === undefined ? [] : await findNewestIdentities(inner, known);
    const version = await insertVersion(inner, suite, checked, before);
    await addImages(inner, suite.id, images);
    await saveTags(inner, suite.id, checked);
    await saveSuiteWords(inner, suite);
    // Who takes in a draft says which.
    if (basedOn === null) await dropTakenDrafts(inner, suite.id, checked);
    const lacks = lackedOf(suite.newestVersion - 1, before, version);
    return { suite, version, created: true, warnings, lacks };
  });
}

function lackedOf(
  version: number,
  identities: readonly CaseIdentity[],
  { caseIdentities }: SuiteVersionRow,
): PublishedSuite['lacks'] {
  const { removed } = compareCases(identities, caseIdentities);
  const cases = removed.filter((id) => !isNamedByContent(id)).length;
  return cases === 0 ? null : { version, cases };
}

function changedMeanwhile(): DomainError {
  return new DomainError('conflict', 'Another version of the suite was published in the meantime.', {
    hint: 'Try again: the draft then becomes a case of the newer version.',
  });
}

function isOlderVersion({ version }: SuiteVersionRow): DomainError {
  return new DomainError('conflict', `With this case, the suite would equal its version ${version}.`, {
    hint: `Give the case another \`case_id\` or other graders, or run version ${version}.`,
  });
}

function refused({ faults, missing }: FaultySuite): DomainError {
  return missing === undefined ? invalidSuite(faults) : filesMissing(missing);
}

/** Serialises publishing per agent, so that limits hold and versions are numbered without a gap. */
export async function lockSuitesOf(ctx: AgentCtx & TransactionCtx): Promise<void> {
  await holdAgent(ctx, ctx.agent.id);
}

/** The files that a document or a configuration names must be sent with it. */
export function filesMissing(missing: readonly string[]): DomainError {
  return new DomainError('invalid_suite', `The document names files that were not sent: ${missing.length}.`, {
    hint: 'Send JSON with `text` and `files`. For each name in `missing`, `files` has the text of the file, null if there is none, or for a pattern the names that match it.',
    fields: { faults: [], missing: [...missing] },
  });
}

export function invalidSuite(faults: readonly SuiteFault[]): DomainError {
  const [first] = faults;
  const file = first?.file === undefined ? '' : ` of ${first.file}`;
  const place =
    first === undefined ? '' : ` Line ${first.line}, column ${first.column}${file}: ${first.message}`;
  return new DomainError(
    'invalid_suite',
    `The suite has ${faults.length} fault${faults.length === 1 ? '' : 's'}.${place}`,
    {
      hint: `\`faults\` lists them with line and column. ${operation('checkSuite')} checks a suite without storing it.`,
      fields: { faults: faults.map((fault) => ({ ...fault })) },
    },
  );
}

async function findJudgeFaults(ctx: AgentCtx, { judges }: SoundSuite): Promise<SuiteFault[]> {
  if (judges.length === 0) return [];
  const { webhooks } = ctx.db.tables;
  const own = await ctx.db.query
    .select({
      id: webhooks.id,
      state: webhooks.state,
      disabledAt: webhooks.disabledAt,
      events: webhooks.events,
    })
    .from(webhooks)
    .where(and(eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)));
  const ready = new Set(
    own
      .filter(({ state, disabledAt }) => state === 'active' && disabledAt === null)
      .filter(({ events }) => events.includes(judgeEvent))
      .map(({ id }) => id),
  );
  return judges
    .filter(({ id }) => !ready.has(id))
    .map(({ line, column, path }) => ({
      line,
      column,
      path,
      message: `${path} must be the id of one of your active webhooks that subscribes to \`${judgeEvent}\`.`,
    }));
}

/** @throws DomainError limit_reached */
async function requireRoom(
  ctx: AgentCtx & TransactionCtx,
  known: SuiteRow | null,
  bytes: number,
): Promise<void> {
  const { suites } = ctx.db.tables;
  if (known !== null && known.newestVersion >= versionsPerSuiteMax)
    throw tooManySuites(`A suite has at most ${versionsPerSuiteMax} versions.`);
  if (
    known === null &&
    (await ctx.db.query.$count(suites, eq(suites.ownerId, ctx.agent.id))) >= suitesPerAgentMax
  )
    throw tooManySuites(`An agent has at most ${suitesPerAgentMax} suites.`);
  await requireBytes(ctx, bytes);
}

/** @throws DomainError limit_reached */
export async function requireBytes({ db, agent }: AgentCtx & TransactionCtx, bytes: number): Promise<void> {
  const { suites, suiteDrafts, suiteImages, suiteVersions } = db.tables;
  let sum = bytes;
  for (const table of [suiteVersions, suiteDrafts, suiteImages]) {
    const [stored] = await db.query
      .select({ bytes: sql`coalesce(sum(${table.bytes}), 0)`.mapWith(Number) })
      .from(suites)
      .innerJoin(table, eq(table.suiteId, suites.id))
      .where(eq(suites.ownerId, agent.id));
    sum += stored?.bytes ?? 0;
  }
  if (sum > suiteBytesPerAgentMax)
    throw tooManySuites(
      `All versions and drafts of your suites together have at most ${suiteBytesPerAgentMax / 1024 / 1024} MB.`,
    );
}

function tooManySuites(rule: string): DomainError {
  return new DomainError('limit_reached', rule, {
    hint: `Delete a suite that nobody ran with ${operation('deleteSuite')}, or publish a new version of a suite that you have.`,
  });
}

async function findNewestIdentities(
  { db }: TransactionCtx,
  { id, newestVersion }: SuiteRow,
): Promise<readonly CaseIdentity[]> {
  const { suiteVersions } = db.tables;
  const [newest] = await db.query
    .select({ caseIdentities: suiteVersions.caseIdentities })
    .from(suiteVersions)
    .where(and(eq(suiteVersions.suiteId, id), eq(suiteVersions.version, newestVersion)));
  return newest?.caseIdentities ?? [];
}
