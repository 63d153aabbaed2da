/** The context of verbs in tests: a real store, a clock that tests set, and a publisher that records. */
import { parseSettings } from '#runtime/settings/settings.ts';
import { noPacks } from '#evals/suite/packs/pack.ts';
import type { Database } from '#db/database.ts';
import type { BearerCtx, BearerAgent, Ctx } from '#domain/context.ts';
import type { JobNotice } from '#domain/jobs/job-kinds.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestClock, type TestClock } from './clock.ts';

export interface TestCtx extends Ctx {
  readonly clock: TestClock;
  /** The jobs published so far, in order. */
  readonly published: readonly JobNotice[];
  /** Tests add to it. */
  readonly maintainerDids: Set<string>;
}

export function createTestCtx(db: Database, clock: TestClock = createTestClock()): TestCtx {
  const published: JobNotice[] = [];
  const maintainerDids = new Set<string>();
  return {
    db,
    clock,
    published,
    maintainerDids,
    rules: {
      identity: { name: 'Test Hub', description: 'A hub for tests.', isPrivate: false, rulesUrl: null },
      baseUrl: 'https://hub.test',
      maintainerDids,
      targetAddresses: createAddressPolicy([]),
      verificationReputation: 100,
      allowance: null,
      settings: parseSettings({}),
      evalRunCostTokens: 1,
      agentRunCostTokens: 1,
      suiteRunRepliesPerToken: 40,
      evalRunSeconds: { free: 300, paid: 600 },
      evalReplyTimeoutMs: 30_000,
      evalPacks: noPacks,
      mailsHosts: false,
      secretKey: null,
    },
    publisher: { publish: (notices) => void published.push(...notices), signal: () => {} },
  };
}

/** The context that a call with the agent's token runs in. */
export function actingAs(ctx: Ctx, agent: BearerAgent): BearerCtx & { readonly agent: BearerAgent } {
  return { ...ctx, agent };
}
