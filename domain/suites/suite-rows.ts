/** The rows of a suite: its versions, tags and words, and what is erased with it. */
import { eq } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { SuiteRow, SuiteVersionRow } from '#db/schema/suite-tables.ts';
import { deleteSearchWords, saveSearchWords } from '#db/search.ts';
import type { SoundSuite } from '#evals/own-suite/check-suite.ts';
import type { SuiteDocument } from '#evals/own-suite/document.ts';
import { type CaseIdentity, compareCases, hashAsked } from '#evals/own-suite/identity.ts';
import { createId } from '#runtime/create-id.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { tagsKeptMax } from './suite-rules.ts';

export async function insertSuite(
  ctx: AgentCtx & TransactionCtx,
  { document }: SoundSuite,
): Promise<SuiteRow> {
  const now = ctx.clock.now();
  const suite: SuiteRow = {
    id: createId(now),
    ownerId: ctx.agent.id,
    name: document.name,
    title: oneLine(document.title ?? document.name),
    description: document.description ?? '',
    visibility: 'private',
    newestVersion: 1,
    createdAt: now,
    editedAt: null,
    retiredAt: null,
    hiddenAt: null,
    ranAt: null,
    ranByOthersAt: null,
  };
  await ctx.db.query.insert(ctx.db.tables.suites).values(suite);
  return suite;
}

/** Documents may have any characters; titles of the hub have one line. */
function oneLine(title: string): string {
  return title.replaceAll(/\p{Cc}+/gu, ' ');
}

export async function renewSuite(
  ctx: TransactionCtx,
  known: SuiteRow,
  { document }: SoundSuite,
): Promise<SuiteRow> {
  const { suites } = ctx.db.tables;
  const changes = {
    title: document.title === undefined ? known.title : oneLine(document.title),
    description: document.description ?? known.description,
    newestVersion: known.newestVersion + 1,
    editedAt: ctx.clock.now(),
  };
  await ctx.db.query.update(suites).set(changes).where(eq(suites.id, known.id));
  return { ...known, ...changes };
}

export async function insertVersion(
  ctx: TransactionCtx,
  { id: suiteId, newestVersion }: SuiteRow,
  { hash, value, caseIdentities, size, bytes, judges, runnerJudges, document }: SoundSuite,
  before: readonly CaseIdentity[],
): Promise<SuiteVersionRow> {
  const now = ctx.clock.now();
  const changes = compareCases(before, caseIdentities);
  const version: SuiteVersionRow = {
    id: createId(now),
    suiteId,
    version: newestVersion,
    hash,
    document: value,
    caseIdentities,
    caseCount: size.cases,
    casesAdded: changes.added.length,
    casesChanged: changes.changed.length,
    casesRemoved: changes.removed.length,
    trials: size.trials,
    bytes,
    casesWithImages: size.casesWithImages,
    promptTokens: size.promptTokens,
    longestPromptTokens: size.longestPromptTokens,
    judges: judges.map(({ id }) => id),
    runnerJudges,
    license: document.license ?? null,
    publishedAt: now,
  };
  await ctx.db.query.insert(ctx.db.tables.suiteVersions).values(version);
  return version;
}

export async function saveTags({ db }: TransactionCtx, suiteId: string, { tags }: SoundSuite): Promise<void> {
  const { suiteTags } = db.tables;
  await db.query.delete(suiteTags).where(eq(suiteTags.suiteId, suiteId));
  const kept = tags.slice(0, tagsKeptMax).map(([tag, cases]) => ({ suiteId, tag, cases }));
  if (kept.length > 0) await db.query.insert(suiteTags).values(kept);
}

/** Removes the drafts of which the published version has a case with the same messages. */
export async function dropTakenDrafts(
  { db }: TransactionCtx,
  suiteId: string,
  { value }: SoundSuite,
): Promise<void> {
  const { suiteDrafts } = db.tables;
  const drafts = await db.query
    .select({ id: suiteDrafts.id, hash: suiteDrafts.hash })
    .from(suiteDrafts)
    .where(eq(suiteDrafts.suiteId, suiteId));
  if (drafts.length === 0) return;
  // The suite has no faults.
  const { cases } = value as SuiteDocument;
  const published = new Set(cases.map(hashAsked));
  const taken = drafts.filter(({ hash }) => published.has(hash)).map(({ id }) => id);
  await db.query.delete(suiteDrafts).where(inList(db, suiteDrafts.id, taken));
}

export async function saveSuiteWords(
  { db }: TransactionCtx,
  { id, name, title, description }: Pick<SuiteRow, 'id' | 'name' | 'title' | 'description'>,
): Promise<void> {
  await saveSearchWords(db, 'suites', id, [name, title, description]);
}

/** Removes suites with all that belongs to them. */
export async function eraseSuites({ db }: TransactionCtx, suiteIds: readonly string[]): Promise<void> {
  if (suiteIds.length === 0) return;
  const { suites, suiteAgents, suiteDrafts, suiteImages, suiteTags, suiteVersions } = db.tables;
  await deleteSearchWords(db, 'suites', suiteIds);
  for (const table of [suiteAgents, suiteDrafts, suiteImages, suiteTags, suiteVersions])
    await db.query.delete(table).where(inList(db, table.suiteId, suiteIds));
  await db.query.delete(suites).where(inList(db, suites.id, suiteIds));
}
