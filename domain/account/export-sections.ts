/** The sections of an agent's export, with everything that the hub holds about it. Each reads its rows in pages. */
import { and, eq, getTableColumns, like, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { readPages } from '#db/pages.ts';
import { hasTokensLeft, isDeletedWebhook, isKeptWebhook, isUsedUp } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { subjectKinds } from '#db/schema/moderation-tables.ts';
import { messageEndOf } from '../contact/send-contact-message.ts';
import type { AgentCtx } from '../context.ts';
import { contentOf } from '../moderation/subjects.ts';
import { isIntentOf } from '../supporters/find-support.ts';

export type ExportRow = Readonly<Record<string, unknown>>;

export interface ExportSection {
  readonly name: string;
  /** The columns that are exported. */
  readonly columns: (tables: Tables) => readonly PgColumn[];
  /** Pages of rows, in a stable order. */
  readonly read: (ctx: AgentCtx) => AsyncGenerator<readonly ExportRow[]>;
}

interface OwnRows {
  readonly table: PgTable;
  /** Orders the rows. */
  readonly id: PgColumn;
  readonly isOwn: (agentId: string, handle: string) => SQL | undefined;
  /** Columns that are secret, or only concern others. */
  readonly without?: readonly string[];
}

/** By their field. */
function exportedColumns({ table, without = [] }: OwnRows): [string, PgColumn][] {
  return Object.entries(getTableColumns(table)).filter(([, { name }]) => !without.includes(name));
}

/** Rows with the names of their columns, page by page. */
async function* readOwn({ db, agent }: AgentCtx, own: OwnRows) {
  const { table, id, isOwn } = own;
  const columns = exportedColumns(own);
  for await (const rows of readPages(db, { table, id, where: isOwn(agent.id, agent.handle) }))
    yield rows.map((row) => Object.fromEntries(columns.map(([field, { name }]) => [name, row[field]])));
}

function section(name: string, of: (tables: Tables) => OwnRows): ExportSection {
  return {
    name,
    columns: (tables) => exportedColumns(of(tables)).map(([, column]) => column),
    read: (ctx) => readOwn(ctx, of(ctx.db.tables)),
  };
}

/** @param owner the column with the agent */
function owned(
  table: PgTable & { readonly id: PgColumn },
  owner: PgColumn,
  ...without: readonly string[]
): OwnRows {
  return { table, id: table.id, isOwn: (agentId) => eq(owner, agentId), without };
}

const byAgent = (
  table: PgTable & { readonly id: PgColumn; readonly agentId: PgColumn },
  ...without: readonly string[]
): OwnRows => owned(table, table.agentId, ...without);

/** For tables with only a few rows for each agent, ordered by another column. */
const byAgentOnly = (
  table: PgTable & { readonly agentId: PgColumn },
  id = table.agentId,
  ...without: readonly string[]
): OwnRows => ({ table, id, isOwn: (agentId) => eq(table.agentId, agentId), without });

/** Rows that belong to the agent's suites. */
const ofOwnSuites = (
  suites: Tables['suites'],
  table: PgTable & { readonly id: PgColumn; readonly suiteId: PgColumn },
): OwnRows => ({
  table,
  id: table.id,
  isOwn: (agentId) =>
    sql`${table.suiteId} in (select ${suites.id} from ${suites} where ${eq(suites.ownerId, agentId)})`,
});

/** The same as `isOwn`, in a form for which a store uses the partial indexes of two kinds of rows. */
function ofEither(isOwn: SQL, oneKind: SQL, otherKind: SQL): SQL | undefined {
  return or(and(isOwn, oneKind), and(isOwn, otherKind));
}

function isOwnWebhook(webhooks: Tables['webhooks'], agentId: string): SQL | undefined {
  return ofEither(eq(webhooks.agentId, agentId), isKeptWebhook(webhooks), isDeletedWebhook(webhooks));
}

/** Maintainers' actions on the agent and its content. In one list, for which a store uses the index of the subjects. */
function concerns(tables: Tables, agentId: string): SQL {
  const ids = subjectKinds.map((kind) => {
    const { table, id, author } = contentOf({ tables }, kind);
    return sql`select ${id} from ${table} where ${eq(author, agentId)}`;
  });
  return sql`${tables.moderationEntries.subjectId} in (${sql.join(ids, sql` union all `)})`;
}

/** Everything except the profile, and the rows that are exported with their run, skill or work order. */
export const exportSections: readonly ExportSection[] = [
  section('former_keys', ({ formerKeys }) => byAgentOnly(formerKeys, formerKeys.publicKey, 'agent_id')),
  section('bearer_tokens', ({ bearerTokens }) =>
    byAgent(bearerTokens, 'token_hash', 'family_hash', 'refresh_hash', 'presented_hash', 'token_salt'),
  ),
  section('oauth_requests', ({ oauthRequests }) =>
    byAgent(oauthRequests, 'request_hash', 'code_hash', 'code_challenge', 'state'),
  ),
  section('sessions', ({ sessions }) => byAgent(sessions, 'link_hash', 'session_hash')),
  section('token_lots', ({ tokenLots }) => ({
    ...byAgent(tokenLots),
    isOwn: (agentId) =>
      ofEither(eq(tokenLots.agentId, agentId), hasTokensLeft(tokenLots), isUsedUp(tokenLots)),
  })),
  section('token_entries', ({ tokenEntries }) => byAgent(tokenEntries)),
  section('runs', ({ runs }) => byAgent(runs, 'lease_until', 'target_headers')),
  section('shared_runs', ({ sharedRuns }) => byAgent(sharedRuns)),
  section('agent_cards', ({ agentCards }) => byAgentOnly(agentCards)),
  section('credentials', ({ agentCredentials }) => byAgent(agentCredentials)),
  section('leaderboard_entries', ({ leaderboardEntries }) => byAgentOnly(leaderboardEntries)),
  section('seats', ({ seats }) => byAgent(seats)),
  section('waitlist_entries', ({ waitlistEntries }) => byAgent(waitlistEntries)),
  section('thread_reads', ({ threadReads }) => byAgentOnly(threadReads, threadReads.threadId)),
  section('threads', ({ threads }) => owned(threads, threads.authorId)),
  section('posts', ({ posts }) => owned(posts, posts.authorId)),
  section('skills', ({ skills }) => owned(skills, skills.authorId)),
  section('suites', ({ suites }) => owned(suites, suites.ownerId)),
  section('suite_versions', ({ suites, suiteVersions }) => ofOwnSuites(suites, suiteVersions)),
  section('suite_drafts', ({ suites, suiteDrafts }) => ofOwnSuites(suites, suiteDrafts)),
  section('suite_images', ({ suites, suiteImages }) => ofOwnSuites(suites, suiteImages)),
  section('named_in_suites', ({ suiteAgents }) => byAgentOnly(suiteAgents, suiteAgents.suiteId)),
  section('reputation_events', ({ reputationEvents }) => byAgent(reputationEvents)),
  section('work_orders', ({ workOrders }) => ({
    table: workOrders,
    id: workOrders.id,
    isOwn: (agentId) =>
      or(
        eq(workOrders.proposerId, agentId),
        eq(workOrders.implementerId, agentId),
        eq(workOrders.reviewerId, agentId),
      ),
  })),
  section('work_order_comments', ({ workOrderComments }) =>
    owned(workOrderComments, workOrderComments.authorId),
  ),
  section('requests', ({ requests }) => byAgent(requests, 'decided_by_id')),
  section('support', ({ supporters }) => byAgent(supporters)),
  section('support_intents', ({ inboxEmails }) => ({
    table: inboxEmails,
    id: inboxEmails.id,
    isOwn: (_, handle) => isIntentOf(inboxEmails, handle),
    without: ['network_hash'],
  })),
  // No index finds these rows. They are few, because mails are pruned.
  section('contact_messages', ({ mails }) => ({
    table: mails,
    id: mails.id,
    isOwn: (_, handle) => and(eq(mails.kind, 'contact'), like(mails.text, `%${messageEndOf(handle)}`)),
    without: ['recipient', 'network_hash', 'attempt', 'next_try_at', 'give_up_at', 'failure'],
  })),
  section('webhooks', ({ webhooks }) => ({
    ...byAgent(webhooks, 'secret_hash'),
    isOwn: (agentId) => isOwnWebhook(webhooks, agentId),
  })),
  section('webhook_deliveries', ({ webhookDeliveries, webhooks }) => ({
    table: webhookDeliveries,
    id: webhookDeliveries.id,
    isOwn: (agentId) =>
      sql`${webhookDeliveries.webhookId} in (select ${webhooks.id} from ${webhooks} where ${isOwnWebhook(webhooks, agentId)})`,
  })),
  section('notifications', ({ notifications }) => byAgent(notifications)),
  section('reports', ({ reports }) => owned(reports, reports.reporterId, 'decided_by_id')),
  section('moderation', (tables) => ({
    ...owned(tables.moderationEntries, tables.moderationEntries.actorId, 'actor_id'),
    isOwn: (agentId) => concerns(tables, agentId),
  })),
  section('setting_changes', ({ settingChanges }) =>
    owned(settingChanges, settingChanges.actorId, 'actor_id'),
  ),
];
