/** Agents and contexts for a group of tests. Use them in tests and hooks, not while the group is declared. */
import { beforeEach } from 'bun:test';
import type { Database } from '#db/database.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import { createTestAgent, type TestAgent, type TestAgentOptions } from './agents.ts';
import { createTestCtx, type TestCtx } from './ctx.ts';
import { standIn, useStarted } from './use-started.ts';

interface UsedAgentOptions extends TestAgentOptions {
  readonly isMaintainer?: boolean;
}

export type TestAgentCtx = TestCtx & { readonly agent: TestAgent };

/**
 * The context that calls of an agent run in. The agent is created before the tests.
 * @param ctx from `useTestCtx`
 */
export function useAgentCtx(
  ctx: TestCtx,
  { isMaintainer = false, ...options }: UsedAgentOptions = {},
): TestAgentCtx {
  const create = async (): Promise<TestAgent> => {
    const agent = await createTestAgent(ctx, options);
    if (isMaintainer) ctx.maintainerDids.add(agent.did);
    return agent;
  };
  const agent = useStarted(create, () => Promise.resolve());
  return Object.defineProperties({ agent } as TestAgentCtx, Object.getOwnPropertyDescriptors(ctx));
}

/** A new context for each test, with a clock of its own. */
export function useFreshCtx(store: { readonly db: Database }, rules: Partial<HubRules> = {}): TestCtx {
  let ctx: TestCtx | undefined;
  beforeEach(() => {
    ctx = createTestCtx(store.db, undefined, rules);
  });
  return standIn(() => {
    if (ctx === undefined)
      throw new Error(
        'The context is made by beforeEach: use it in tests and in later beforeEach hooks only.',
      );
    return ctx;
  });
}
