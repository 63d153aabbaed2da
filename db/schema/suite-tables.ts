/** The suites that agents have published: their own cases, in immutable versions. */
import type { AgentsTable } from './agent-tables.ts';
import type { SampleReply, SentCase } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { ImageType } from '#evals/own-suite/images.ts';
import type { RunnerJudge } from '#evals/own-suite/judges.ts';
import type { ColumnKit } from './column-kit.ts';
import { isListedSuite, isRetiredSuite } from './index-conditions.ts';

/**
 * Who may run and read a suite, from the fewest to the most. `private`: the owner and the agents that it names. `hidden`:
 * anybody may run it, but only the owner reads cases and expected values. `open`: anybody may run and read it.
 */
export const suiteVisibilities = ['private', 'hidden', 'open'] as const;
export type SuiteVisibility = (typeof suiteVisibilities)[number];

/** What the sender says of the reply of a draft. */
export const draftVerdicts = ['accepted', 'refused'] as const;
export type DraftVerdict = (typeof draftVerdicts)[number];

function makeSuitesTable(kit: ColumnKit, agents: AgentsTable) {
  return kit.table(
    'suites',
    {
      id: kit.id('id').primaryKey(),
      ownerId: kit.reference('owner_id', () => agents.id),
      name: kit.text('name').notNull(),
      title: kit.text('title').notNull(),
      description: kit.text('description').notNull(),
      visibility: kit.text('visibility').$type<SuiteVisibility>().notNull(),
      /** The number of its newest version. */
      newestVersion: kit.integer('newest_version').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      editedAt: kit.instant('edited_at'),
      /** No new runs since then. */
      retiredAt: kit.instant('retired_at'),
      hiddenAt: kit.instant('hidden_at'),
      /** When it was first run. From then on, it cannot be deleted. */
      ranAt: kit.instant('ran_at'),
      /** When an agent other than the owner first ran it. From then on, it outlives the owner's account. */
      ranByOthersAt: kit.instant('ran_by_others_at'),
    },
    (t) => [
      kit.uniqueIndex('suites_name_unique').on(t.ownerId, t.name),
      kit.index('suites_by_owner').on(t.ownerId, t.id),
      // Of owners whose accounts are closed.
      kit.index('suites_retired_by_name').on(t.name).where(isRetiredSuite(t)),
      kit.index('suites_listed').on(t.id).where(isListedSuite(t)),
    ],
  );
}

export function makeSuiteTables(kit: ColumnKit, agents: AgentsTable) {
  const suites = makeSuitesTable(kit, agents);

  /** The tags of the cases of the newest version. */
  const suiteTags = kit.table(
    'suite_tags',
    {
      suiteId: kit.reference('suite_id', () => suites.id),
      tag: kit.text('tag').notNull(),
      cases: kit.integer('cases').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.suiteId, t.tag] }),
      kit.index('suite_tags_by_tag').on(t.tag, t.suiteId),
    ],
  );

  /** The agents that may run and read a private suite besides its owner. */
  const suiteAgents = kit.table(
    'suite_agents',
    {
      suiteId: kit.reference('suite_id', () => suites.id),
      agentId: kit.reference('agent_id', () => agents.id),
    },
    (t) => [
      kit.primaryKey({ columns: [t.suiteId, t.agentId] }),
      kit.index('suite_agents_by_agent').on(t.agentId, t.suiteId),
    ],
  );

  const suiteVersions = kit.table(
    'suite_versions',
    {
      id: kit.id('id').primaryKey(),
      suiteId: kit.reference('suite_id', () => suites.id),
      /** 1, 2, 3 … within the suite. */
      version: kit.integer('version').notNull(),
      /** SHA-256 of the canonical form (RFC 8785) of the document, in hex. */
      hash: kit.text('hash').notNull(),
      /** As published, before defaults are filled in. */
      document: kit.json<unknown>('document').notNull(),
      /** One for each case, in order. */
      caseIdentities: kit.json<readonly CaseIdentity[]>('case_identities').notNull(),
      caseCount: kit.integer('case_count').notNull(),
      /** Against the version before: cases that are new, differ or are gone. */
      casesAdded: kit.integer('cases_added').notNull(),
      casesChanged: kit.integer('cases_changed').notNull(),
      casesRemoved: kit.integer('cases_removed').notNull(),
      trials: kit.integer('trials').notNull(),
      bytes: kit.integer('bytes').notNull(),
      casesWithImages: kit.integer('cases_with_images').notNull(),
      /** Estimates: of all prompts of one trial, and of the longest one. */
      promptTokens: kit.count('prompt_tokens').notNull(),
      longestPromptTokens: kit.integer('longest_prompt_tokens').notNull(),
      /** The ids of the owner's webhooks that judge replies. */
      judges: kit.json<readonly string[]>('judges').notNull(),
      /** Those that a runner has to bring. */
      runnerJudges: kit.json<readonly RunnerJudge[]>('runner_judges').notNull(),
      license: kit.text('license'),
      publishedAt: kit.instant('published_at').notNull(),
    },
    (t) => [
      kit.uniqueIndex('suite_versions_number_unique').on(t.suiteId, t.version),
      kit.uniqueIndex('suite_versions_hash_unique').on(t.suiteId, t.hash),
    ],
  );

  /** The images of all versions, each once. The documents have their hashes. */
  const suiteImages = kit.table(
    'suite_images',
    {
      id: kit.id('id').primaryKey(),
      suiteId: kit.reference('suite_id', () => suites.id),
      /** Of the bytes, in hex. */
      sha256: kit.text('sha256').notNull(),
      type: kit.text('type').$type<ImageType>().notNull(),
      bytes: kit.integer('bytes').notNull(),
      base64: kit.text('base64').notNull(),
    },
    (t) => [kit.uniqueIndex('suite_images_unique').on(t.suiteId, t.sha256)],
  );

  /** Conversations as they happened, until a version has them as cases. Only the owner sees them. */
  const suiteDrafts = kit.table(
    'suite_drafts',
    {
      id: kit.id('id').primaryKey(),
      suiteId: kit.reference('suite_id', () => suites.id),
      asked: kit.json<Pick<SentCase, 'prompt' | 'messages' | 'tools'>>('asked').notNull(),
      reply: kit.json<SampleReply>('reply').notNull(),
      verdict: kit.text('verdict').$type<DraftVerdict>().notNull(),
      /** Of the messages, in hex, as in `evals/own-suite/identity.ts`. */
      hash: kit.text('hash').notNull(),
      bytes: kit.integer('bytes').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('suite_drafts_by_suite').on(t.suiteId, t.id)],
  );

  return { suites, suiteTags, suiteAgents, suiteVersions, suiteImages, suiteDrafts };
}

type SuiteTables = ReturnType<typeof makeSuiteTables>;
export type SuiteRow = SuiteTables['suites']['$inferSelect'];
export type SuiteDraftRow = SuiteTables['suiteDrafts']['$inferSelect'];
export type SuiteVersionRow = SuiteTables['suiteVersions']['$inferSelect'];
