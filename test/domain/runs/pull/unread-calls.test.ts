/** A call in the text of an answer is no reply where tools are offered: graders would find no call. */
import { expect, test } from 'bun:test';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { answerEach } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

forEachStore((store) => {
  const as = useAgentCtx(useTestCtx(store), { tokens: 9 });

  test('it is an error of its trial, and a text in a case without tools', async () => {
    const expectation = [{ calls: { never: ['refund'] } }];
    const tools = [{ name: 'refund' }];
    const cases = [
      { id: 'called', prompt: 'x', tools, expect: expectation },
      { id: 'said', prompt: 'x', tools, expect: expectation },
      { id: 'plain', prompt: 'x', expect: expectation },
    ];
    await publishTestSuite(as, { suite: 1, name: 'unread', cases });
    const { id: runId } = await orderSuiteRun(as, `@${as.agent.handle}/unread`);
    const { cases: handed } = await handOutCases(as, { runId, limit: 3 });
    await answerEach(as, runId, handed, ({ caseId }) =>
      caseId === 'said' ? 'I refund nothing.' : '<tool_call>{"name": "refund"}</tool_call>',
    );
    const { cases: shown } = await showOwnRun(as, { runId, withCases: true });
    expect(shown?.map(({ trials: [trial] }) => trial)).toMatchObject([
      {
        status: 'error',
        error_code: 'unread_call',
        error_message: expect.stringContaining('{"tool_calls": [{"name": "…"') as string,
      },
      { status: 'passed' },
      { status: 'passed' },
    ]);
  });
});
