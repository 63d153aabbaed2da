/**
 * Closing an account clears every column with data of its own. The columns come from the schema, so the test fails for
 * a new one until it is filled before the closing, or listed as impersonal.
 */
import { expect, test } from 'bun:test';
import { type Column, getTableColumns } from 'drizzle-orm';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { addDraft } from '#domain/suites/drafts.ts';
import { holdSuite } from '#domain/suites/find-runnable-suite.ts';
import { publishSuite } from '#domain/suites/publish-suite.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { postgresTables } from '#db/schema/postgres.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp, type SignedUpAgent, closeWithKey } from '#test/domain/agents/sign-up.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { rowsOf, changeRowsIn } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { leaveTraces, ownRowsWith, rowsWith } from './traces.ts';
import { expectNoDrift } from '../outcomes.ts';

/** In every text that the test plants. No other text contains it. */
const word = 'numbat';

/** Columns with values that the hub chooses, hashes, or texts about nobody, by table. `*` stands for all columns. */
const impersonal: Readonly<Record<string, string>> = {
  agents: 'agentType sponsorTier',
  challenges: 'purpose profile',
  bearerTokens: 'tokenHash scopes accessScopes familyHash refreshHash presentedHash tokenSalt',
  // Clients of others, which belong to no agent.
  oauthClients: '*',
  // About the hub itself.
  hubBackups: '*',
  // Ids and hashes of networks, which are deleted after a day.
  storedBytes: '*',
  oauthRequests: 'requestHash scopes codeChallenge codeHash',
  tokenEntries: 'kind source lots',
  runs: 'product mode status chargeState suiteName suiteVersion only estimate failureCode latency usage',
  // Numbers, names of the target's own, and digests.
  runLeases: 'usage contextId',
  runItems: 'lastAnswer',
  leaderboardEntries: 'product suiteVersion suiteVersionId cost',
  // What was measured, in the words of whoever runs the hub.
  events: 'kind status',
  seats: 'status idempotencyKey cancelledBy calendarToken',
  jobs: '*',
  // Ids, in the order in which rows are erased.
  erasures: '*',
  idempotencyKeys: 'route requestHash',
  reputationEvents: 'kind',
  suites: 'visibility',
  suiteVersions: 'hash judges',
  suiteDrafts: 'hash verdict',
  suiteImages: 'sha256 type base64',
  threads: 'category',
  workOrders: 'status',
  workOrderEvents: 'fromStatus toStatus',
  requests: 'kind status basis',
  supporters: 'tier',
  // Received from outside. No agent is known to have sent it, unless a wish to support names one as its sender.
  inboxEmails: 'identity messageId recipients subject text attachments status',
  // `replyTo` is an address; an agent is named in the text. Recipients are the operator and hosts.
  mails: 'kind status recipient replyTo networkHash failure',
  webhooks: 'events secretHash state disabledReason',
  webhookDeliveries: 'kind status error',
  sessions: 'linkHash sessionHash',
  // Of the hub.
  issuerKeys: '*',
  agentCards: 'signature',
  reports: 'subjectKind status',
  moderationEntries: 'act subjectKind',
  // Names and values of the hub's settings.
  settingChanges: '*',
  notifications: 'kind',
  searchWords: 'kind',
};

const textTypes = new Set(['text', 'text collate "C"', 'json']);
const personalColumns = Object.entries(postgresTables).flatMap(([table, columns]) => {
  const listed = impersonal[table]?.split(' ') ?? [];
  return Object.entries<Column>(getTableColumns(columns))
    .filter(([name, column]) => textTypes.has(column.getSQLType()) && !listed.includes(name))
    .filter(() => !listed.includes('*'))
    .map(([name]) => `${table}.${name}`);
});

test('every column that is listed as impersonal exists', () => {
  for (const [table, names] of Object.entries(impersonal)) {
    const known = Object.keys(getTableColumns(postgresTables[table as keyof typeof postgresTables]));
    for (const name of names.split(' ')) expect(['*', ...known]).toContain(name);
  }
});

/** Fills the columns that the agent's requests would fill only with a whole run, a failure or a second key. */
async function plantTexts(ctx: Ctx, { agent, ctx: as }: SignedUpAgent): Promise<void> {
  const { runItems, runScorecards, formerKeys, idempotencyKeys, sessions } = ctx.db.tables;
  const { agentCards, agentCredentials, oauthRequests, searchWords } = ctx.db.tables;
  const now = ctx.clock.now();
  const id = createId(now);
  const own = { agentId: agent.id, createdAt: now };
  // The columns have the types of the code that writes them; here, only the text matters.
  const json = { text: `A ${word}` } as never;
  // Nobody has answered a case of it.
  const [{ id: untouched } = { id: '' }] = await rowsOf(ctx, 'runs', {
    agentId: agent.id,
    product: 'eval-run',
  });
  const target = { target: json, targetHeaders: `A ${word}` as never, failureCause: json };
  const texts = { targetUrl: word, failureMessage: word, suiteSeed: word, label: word };
  await withTransaction(ctx, async ({ db }) => {
    const { query } = db;
    await changeRowsIn(db, 'agents', { id: agent.id }, { network: word, formerDids: [word] as never });
    await changeRowsIn(
      db,
      'runs',
      { agentId: agent.id },
      { ...target, ...texts, only: { of: 2, places: [0] } },
    );
    await changeRowsIn(db, 'bearerTokens', { id: as.agent.tokenId }, { clientId: word, clientName: word });
    await query
      .insert(runItems)
      .values({ runId: untouched, itemIndex: 0, position: 1, result: json, share: 1, finishedAt: now });
    await query.insert(runScorecards).values({ runId: untouched, scoreJson: json });
    const client = { clientId: word, clientName: word, redirectUri: word, state: word };
    const asked = {
      requestHash: `x ${agent.id}`,
      scopes: ['read' as const],
      codeChallenge: 'x',
      expiresAt: now,
    };
    await query.insert(oauthRequests).values({ id, ...own, ...client, ...asked });
    const card = { url: word, name: word, skills: json, interfaces: json, signature: 'none' } as const;
    await query.insert(agentCards).values({ agentId: agent.id, ...card, checkedAt: now });
    await query.insert(searchWords).values({ kind: 'cards', subjectId: agent.id, words: word });
    const credential = { issuer: word, host: word, credential: json, hash: word };
    await query.insert(agentCredentials).values({ id, ...own, ...credential });
    await query.insert(formerKeys).values({ publicKey: word, did: word, agentId: agent.id, replacedAt: now });
    const response = { key: word, status: 200, body: json };
    const claim = { route: 'x', requestHash: 'x', claimId: id, claimedUntil: now };
    await query.insert(idempotencyKeys).values({ ...own, ...claim, ...response });
    const session = { bearerTokenId: null, sessionHash: 'x', lastUsedAt: now, expiresAt: now };
    await query.insert(sessions).values({ id, ...own, ...session, userAgent: word });
  });
}

/** Content. */
async function write(ctx: TestCtx, agent: SignedUpAgent, bob: TestAgent, reviewer: TestAgent): Promise<void> {
  const thread = await startThread(agent.ctx, { title: `A ${word}`, body: `A ${word}` });
  await postReply(actingAs(ctx, bob), { threadId: thread.id, body: 'From Bob' });
  const skill = {
    name: `${word} ${ctx.db.dialect}`,
    description: word,
    repoUrl: `https://git.example/${word}`,
    manifestUrl: `https://git.example/${word}.json`,
  };
  await publishSkill(agent.ctx, skill);
  await updateSkill(agent.ctx, { name: skill.name, versionNote: `More of the ${word}` });
  const document = {
    suite: 1,
    name: word,
    title: `A ${word}`,
    description: `A ${word}`,
    license: word,
    judges: { code: { command: word } },
    cases: [{ id: word, prompt: word, tags: [word], expect: [{ equals: word }, { judge: 'code' }] }],
  };
  const { suite } = await publishSuite(agent.ctx, await checkSuite(JSON.stringify(document), 'json'));
  const request = { messages: [{ role: 'user', content: word }] };
  const sent = { request, response: { choices: [{ message: { content: word } }] } };
  await addDraft(agent.ctx, { owner: agent.agent.handle, name: word, sent, verdict: 'refused' });
  // A suite that nobody else ran would be deleted.
  await withTransaction(ctx, async (inner) =>
    (await holdSuite(inner, { suiteId: suite.id, runnerId: bob.id }))(),
  );
  const own = await proposeWorkOrder(agent.ctx, { title: `A ${word}`, description: `A ${word}` });
  await commentOnWorkOrder(agent.ctx, { workOrderId: own.id, body: `A ${word}` });
  const { id: workOrderId } = await proposeWorkOrder(actingAs(ctx, bob), { title: 'x', description: 'x' });
  for (const to of ['interrogating', 'triaged', 'building', 'in_review'] as const) {
    await transitionWorkOrder(agent.ctx, {
      workOrderId,
      to,
      note: `Moved by the ${word}`,
      implementerHandle: to === 'building' ? agent.agent.handle : null,
      reviewerHandle: to === 'in_review' ? reviewer.handle : null,
      artifactUrl: to === 'in_review' ? `https://git.example/${word}/pull/1` : null,
    });
  }
}

forEachStore((store) => {
  const ctx = useTestCtx(store, { mailsHosts: true });
  const { agent: bob } = useAgentCtx(ctx, { tokens: 50 });
  const { agent: maintainer } = useAgentCtx(ctx, { tokens: 50, isMaintainer: true });

  test('every text column of the schema is filled before the closing, and clear after it', async () => {
    const agent = await signUp(ctx, `${word}-${store.dialect}`);
    const { handle, did } = agent.agent;
    await updateProfile(agent.ctx, { bio: word, site: `https://${handle}.example` });
    await leaveTraces(ctx, agent, { bob, maintainer });
    await write(ctx, agent, bob, maintainer);
    await plantTexts(ctx, agent);
    const texts = [word, did, agent.key.publicKey];
    const filled = new Set<string>();
    // Counts of bytes name hashes of networks, and are deleted after a day.
    const rows = async () => (await rowsWith(ctx, texts)).filter((row) => !row.startsWith('storedBytes:'));
    for (const found of await rows()) {
      const table = found.slice(0, found.indexOf(':'));
      // As `rowsWith` prints rows.
      const row = JSON.parse(found.slice(table.length + 2)) as Readonly<Record<string, unknown>>;
      for (const [name, value] of Object.entries(row))
        if (texts.some((text) => JSON.stringify(value ?? null).includes(text)))
          filled.add(`${table}.${name}`);
    }
    expect(personalColumns.filter((column) => !filled.has(column))).toEqual([]);
    expect([...filled].filter((column) => !personalColumns.includes(column))).toEqual([]);
    await closeWithKey(agent.ctx, agent.key);
    await eraseAll(ctx);
    const left = await ownRowsWith(ctx, [agent.agent.id], texts);
    expect(left.filter((row) => !/^(storedBytes|suites|suiteVersions):/.test(row))).toEqual([]);
    // Others have run it.
    expect(left.filter((row) => row.startsWith('suite')).length).toBeGreaterThan(0);
    await expectNoDrift(ctx);
  });
});
