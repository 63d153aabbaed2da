/** Publishes suites, and runs them in pull mode. */
import type { AgentCtx } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import type { SubmittedAnswer } from '#domain/runs/pull/pull-run.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput } from '#domain/runs/redemption-input.ts';
import { type PublishedSuite, publishSuite } from '#domain/suites/publish-suite.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { answerPulled } from './eval-runs.ts';
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

type Reply = string | ((caseId: string) => Omit<SubmittedAnswer, 'caseId'>);

/** Answers every open case of a run. */
export async function answerAll(as: AgentCtx, runId: string, reply: Reply): Promise<void> {
  for (let ended = false; !ended;) {
    const { cases } = await handOutCases(as, { runId, limit: 8 });
    if (cases.length === 0) return;
    const answers = cases.map(({ caseId }) => ({
      caseId,
      ...(typeof reply === 'string' ? { text: reply } : reply(caseId)),
    }));
    ({ ended } = await answerPulled(as, runId, answers));
  }
}

/** Orders a run and answers all its cases. */
export async function playSuiteRun(
  as: AgentCtx,
  suite: string,
  reply: Reply,
  order: Partial<RedemptionInput> = {},
): Promise<string> {
  const { id } = await orderSuiteRun(as, suite, order);
  await answerAll(as, id, reply);
  return id;
}
