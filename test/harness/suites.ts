/** Publishes suites, and runs them in pull mode. */
import type { AgentCtx } from '#domain/context.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput } from '#domain/runs/redemption-input.ts';
import { type PublishedSuite, publishSuite } from '#domain/suites/publish-suite.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { testSecretKey } from './secret-key.ts';

export async function publishTestSuite(as: AgentCtx, document: object): Promise<PublishedSuite> {
  return publishSuite(as, await checkSuite(JSON.stringify(document), 'json'));
}

/** @param order what a caller adds to `suite` */
export async function orderSuiteRun(
  as: AgentCtx,
  suite: string,
  order: Partial<RedemptionInput> = {},
): Promise<RunRow> {
  const { run } = await redeem(as, {
    product: 'suite-run',
    suite,
    targetUrl: null,
    target: null,
    ranked: false,
    secretKey: testSecretKey,
    ...order,
  });
  return run;
}
