/** A completed run as a W3C Verifiable Credential 2.0, which its agent can show anywhere. */
import { roundInterval } from '#evals/rates.ts';
import { eq } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentRow, findAgentById } from '../agents/find-agent.ts';
import { isSuspended } from '../agents/token-bearers.ts';
import { type ActingAgent, type Ctx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { requireCompleted } from '../runs/find-run.ts';
import { requireNotFrozen } from '../freeze/freeze-hub.ts';
import { operation } from '../operation.ts';
import { readResult } from '../runs/cases/read-results.ts';
import { hexHashOf, type Json, withoutMilliseconds } from './data-integrity.ts';
import { signCredential } from './issuer.ts';
import { type CredentialUrls, statusEntryOf } from './status-list.ts';

/** From the day on which it is fetched. A fresh one can be fetched as long as the hub keeps the run. */
const validMs = 365 * 24 * 60 * 60 * 1_000;

/** The second context gives the terms of `credentialSubject` a meaning to readers of JSON-LD. */
export const credentialContexts = [
  'https://www.w3.org/ns/credentials/v2',
  'https://www.w3.org/ns/credentials/undefined-terms/v2',
];

interface CredentialInput {
  readonly runId: string;
  readonly viewer: ActingAgent | null;
  readonly urls: CredentialUrls;
}

/**
 * For the owner of the run, and for anybody if the run is shared or ranked.
 * @throws DomainError run_not_found, conflict, hub_frozen, run_not_completed
 */
export async function issueCredential(ctx: Ctx, { runId, viewer, urls }: CredentialInput): Promise<Json> {
  const { run, agent } = await findShownRun(ctx, runId, viewer);
  const { score, estimate } = requireCompleted(run);
  invariant(score !== null && estimate !== null, 'A completed run has a score.');
  if (run.struckAt !== null) throw runStruck();
  const exceptions = await exceptionsOf(ctx, run);
  const position = await findPosition(ctx, run.id);
  return signCredential(ctx, (issuer) => ({
    '@context': credentialContexts,
    id: urls.credential(run.id),
    type: ['VerifiableCredential', 'EvaluationCredential'],
    issuer,
    validFrom: withoutMilliseconds(run.finishedAt ?? run.createdAt),
    validUntil: withoutMilliseconds(new Date(ctx.clock.now().getTime() + validMs)),
    credentialSubject: {
      id: agent.did,
      run_id: run.id,
      product: run.product,
      suite: { name: run.suiteName, version: run.suiteVersion, hash: suiteHashOf(run) },
      score,
      interval: roundInterval(estimate.interval),
      items: run.runSize / run.trials,
      started_at: withoutMilliseconds(run.startedAt ?? run.createdAt),
      finished_at: withoutMilliseconds(run.finishedAt ?? run.createdAt),
      ranked: run.ranked,
      ...exceptions,
    },
    credentialStatus: statusEntryOf(urls, position),
  }));
}

/** What keeps the score from being that of the whole suite, unknown before, answered to the end and decided by rules. */
async function exceptionsOf(ctx: Ctx, run: RunRow): Promise<Json> {
  const { judged, reviewed, unanswered = 0 } = (await readResult(ctx, run.id)) ?? {};
  return {
    ...(run.only === null ? {} : { items_of: run.only.of }),
    ...(run.seedGiven ? { replay_of: run.replayOf } : {}),
    ...(unanswered === 0 ? {} : { unanswered }),
    ...(run.cancelled ? { cancelled: true } : {}),
    ...(run.regradedFrom === null ? {} : { regraded_from: run.regradedFrom }),
    ...(judged === undefined ? {} : { cases_judged_by_runner: judged.cases.length }),
    ...(reviewed === undefined ? {} : { cases_overruled_by_runner: reviewed.overruled.length }),
  };
}

function runStruck(): DomainError {
  return new DomainError('conflict', 'A maintainer has struck this run off, so it has no credential.', {
    hint: `${operation('getHub')} names the maintainers.`,
  });
}

/** SHA-256 of the canonical form of what the suite is: its name, its version and the id of a published one. */
function suiteHashOf({ suiteName, suiteVersion, suiteVersionId }: RunRow): string {
  return hexHashOf({ name: suiteName, version: suiteVersion, id: suiteVersionId });
}

interface ShownRun {
  readonly run: RunRow;
  readonly agent: AgentRow;
}

async function findShownRun(ctx: Ctx, runId: string, viewer: ActingAgent | null): Promise<ShownRun> {
  const { runs } = ctx.db.tables;
  const [run] = await ctx.db.query.select().from(runs).where(eq(runs.id, runId));
  const agent = run === undefined ? null : await findAgentById(ctx.db, run.agentId);
  const isShown =
    run !== undefined &&
    agent !== null &&
    agent.closedAt === null &&
    (viewer?.id === agent.id || (await isForAll(ctx, run, agent)));
  if (isShown) return { run, agent };
  throw new DomainError('run_not_found', 'There is no run with this id that you may see.', {
    hint: `${operation('getRuns')} lists yours. Others are visible if they are ranked or shared.`,
  });
}

async function isForAll(ctx: Ctx, run: RunRow, agent: AgentRow): Promise<boolean> {
  if (run.status !== 'completed') return false;
  if (agent.hiddenAt !== null || isSuspended(agent, ctx.clock.now())) return false;
  if (run.ranked) return true;
  const { sharedRuns } = ctx.db.tables;
  const [share] = await ctx.db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, run.id));
  return share !== undefined && share.hiddenAt === null;
}

/**
 * The place of the run in the status lists, which it gets with its first credential.
 * @throws DomainError conflict, hub_frozen
 */
async function findPosition(ctx: Ctx, runId: string): Promise<number> {
  const row = (await findIssued(ctx, runId)) ?? (await insertIssued(ctx, runId));
  // A strike may have come after the run was read.
  if (row.revokedAt !== null) throw runStruck();
  return row.position;
}

type IssuedRow = Tables['runCredentials']['$inferSelect'];

async function findIssued({ db }: Ctx, runId: string): Promise<IssuedRow | null> {
  const { runCredentials } = db.tables;
  const [row] = await db.query.select().from(runCredentials).where(eq(runCredentials.runId, runId));
  return row ?? null;
}

async function insertIssued(ctx: Ctx, runId: string): Promise<IssuedRow> {
  // Reads of a frozen hub are rolled back, and the place would then go to another run.
  await requireNotFrozen(ctx);
  return withTransaction(ctx, async (inner) => {
    const { runCredentials } = inner.db.tables;
    await inner.db.query
      .insert(runCredentials)
      .values({ runId, issuedAt: inner.clock.now(), revokedAt: null })
      .onConflictDoNothing({ target: runCredentials.runId });
    const row = await findIssued(inner, runId);
    invariant(row !== null, 'The credential of the run has a place.');
    return row;
  });
}
