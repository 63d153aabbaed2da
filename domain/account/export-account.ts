/** Exports everything that the hub holds about the acting agent, as the text of one JSON document. */
import { and, asc, eq } from 'drizzle-orm';
import { findOwnRun } from '../runs/find-run.ts';
import { showTrials } from '../runs/cases/show-cases.ts';
import { readPages } from '#db/pages.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../context.ts';
import { findNamedAgents } from '../suites/show-suite.ts';
import { type ExportRow, exportSections } from './export-sections.ts';
import { findOwnRow } from './own-challenge.ts';

/**
 * Yields parts of the document, so that an account of any size needs little memory. Pages are read one after the other;
 * rows that change in the meantime may be missing.
 */
export async function* exportAccount(ctx: AgentCtx): AsyncGenerator<string> {
  const agent = await findOwnRow(ctx);
  const profile = profileOf(agent);
  yield `{"exported_at":${JSON.stringify(ctx.clock.now())},"agent":${JSON.stringify(profile)}`;
  for (const { name, read } of exportSections) {
    yield `,${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const rows of read(ctx)) {
      for (const row of rows) {
        if (!isFirst) yield ',';
        yield* name === 'runs' ? runTexts(ctx, row) : [JSON.stringify(await withChildren(ctx, name, row))];
        isFirst = false;
      }
    }
    yield ']';
  }
  yield '}';
}

function profileOf(agent: Awaited<ReturnType<typeof findOwnRow>>): ExportRow {
  return {
    id: agent.id,
    handle: agent.handle,
    agent_type: agent.agentType,
    public_key: agent.publicKey,
    did: agent.did,
    former_dids: agent.formerDids ?? [],
    bio: agent.bio,
    site: agent.site,
    verified_badge: agent.verifiedBadge,
    sponsor_tier: agent.sponsorTier,
    reputation_total: agent.reputationTotal,
    publish_score: agent.publishHistory ? 'history' : agent.publishScore,
    created_at: agent.createdAt,
    hidden_at: agent.hiddenAt,
    suspended_at: agent.suspendedAt,
    suspended_until: agent.suspendedUntil,
  };
}

/**
 * The rows that belong to a row of an export: the notes of skills, the agents that suites name, and the agent's own
 * transitions of work orders. Each row has a bounded number of them.
 */
async function withChildren(ctx: AgentCtx, section: string, row: ExportRow): Promise<ExportRow> {
  const id = String(row['id']);
  switch (section) {
    case 'skills':
      return { ...row, versions: await readVersions(ctx, id) };
    case 'suites':
      return { ...row, agents: await findNamedAgents(ctx, id) };
    case 'work_orders':
      return { ...row, own_moves: await readOwnMoves(ctx, id) };
    default:
      return row;
  }
}

/** A run with its cases, which may have megabytes of replies. */
async function* runTexts(ctx: AgentCtx, row: ExportRow): AsyncGenerator<string> {
  const { runScorecards } = ctx.db.tables;
  const runId = String(row['id']);
  yield `${JSON.stringify(withoutOpenSeed(row)).slice(0, -1)},"cases":`;
  yield* listTexts(readItems(ctx, runId, isCompleted(row)));
  const [card] = await ctx.db.query
    .select({ score: runScorecards.scoreJson })
    .from(runScorecards)
    .where(eq(runScorecards.runId, runId));
  yield `,"scorecard":${JSON.stringify(card?.score ?? null)},"hand_outs":`;
  yield* listTexts(readHandOuts(ctx, runId));
  yield '}';
}

async function* listTexts(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const rows of pages) {
    if (rows.length > 0) yield before + rows.map((row) => JSON.stringify(row)).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Agents see no more of hidden suites here than elsewhere. */
async function* readItems(ctx: AgentCtx, runId: string, withVerdicts: boolean) {
  const { runItems: table } = ctx.db.tables;
  const run = withVerdicts ? await findOwnRun(ctx, { runId }) : null;
  const items = { table, id: table.itemIndex, where: eq(table.runId, runId) };
  for await (const rows of readPages<typeof table.$inferSelect>(ctx.db, items)) {
    const results = rows.map(({ result }) => result);
    yield run === null ? results.map(withoutVerdict) : await showTrials(ctx, run, results);
  }
}

async function* readHandOuts(ctx: AgentCtx, runId: string) {
  const { runLeases: table } = ctx.db.tables;
  const leases = { table, id: table.itemIndex, where: eq(table.runId, runId) };
  for await (const rows of readPages<typeof table.$inferSelect>(ctx.db, leases))
    yield rows.map(({ itemIndex, handedOutAt, steps }) => {
      return { case_index: itemIndex, handed_out_at: handedOutAt, steps };
    });
}

/** Only a paid run shows its verdicts: otherwise refunded runs would grade replies for free. */
function withoutVerdict(item: StoredTrial): ExportRow {
  const { index, response_text, error_code, attempts, latency_ms } = item;
  const { error_message = null, error_response = null } = item;
  return { index, response_text, error_code, error_message, error_response, attempts, latency_ms };
}

function readVersions({ db }: AgentCtx, skillId: string) {
  const { skillVersions } = db.tables;
  return db.query
    .select({ note: skillVersions.note, created_at: skillVersions.createdAt })
    .from(skillVersions)
    .where(eq(skillVersions.skillId, skillId))
    .orderBy(asc(skillVersions.id));
}

function readOwnMoves({ db, agent }: AgentCtx, workOrderId: string) {
  const { workOrderEvents } = db.tables;
  return db.query
    .select({
      to_status: workOrderEvents.toStatus,
      note: workOrderEvents.note,
      created_at: workOrderEvents.createdAt,
    })
    .from(workOrderEvents)
    .where(and(eq(workOrderEvents.workOrderId, workOrderId), eq(workOrderEvents.actorId, agent.id)))
    .orderBy(asc(workOrderEvents.position));
}

/** The seed of an open run would reveal its answers. */
function withoutOpenSeed(row: ExportRow): ExportRow {
  return row['finished_at'] === null ? { ...row, suite_seed: null } : row;
}

function isCompleted(row: ExportRow): boolean {
  return row['status'] === 'completed';
}
