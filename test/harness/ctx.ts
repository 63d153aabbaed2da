/** The context of verbs in tests: a real store, a clock that tests set, and a publisher that records. */
import type { Database } from '#db/database.ts';
import type { BearerCtx, BearerAgent, Ctx } from '#domain/context.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import type { JobNotice } from '#domain/jobs/job-kinds.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { testRules } from './rules.ts';

export interface TestCtx extends Ctx {
  readonly clock: TestClock;
  /** The jobs published so far, in order. */
  readonly published: readonly JobNotice[];
  /** Tests add to it. */
  readonly maintainerDids: Set<string>;
}

export function createTestCtx(
  db: Database,
  clock: TestClock = createTestClock(),
  rules: Partial<HubRules> = {},
): TestCtx {
  const published: JobNotice[] = [];
  const maintainerDids = new Set<string>();
  return {
    db,
    clock,
    published,
    maintainerDids,
    rules: testRules({ maintainerDids, ...rules }),
    publisher: { publish: (notices) => void published.push(...notices), signal: () => {} },
  };
}

/** The context of a group of tests whose store is not open yet. */
export function useTestCtx(store: { readonly db: Database }, rules: Partial<HubRules> = {}): TestCtx {
  return Object.defineProperty(createTestCtx({} as Database, createTestClock(), rules), 'db', {
    get: () => store.db,
    enumerable: true,
  });
}

/** The context that a call with the agent's token runs in. */
export function actingAs(ctx: Ctx, agent: BearerAgent): BearerCtx & { readonly agent: BearerAgent } {
  return { ...ctx, agent };
}
