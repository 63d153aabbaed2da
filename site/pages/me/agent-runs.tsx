/** `/me/agent-runs`: the owner's agent runs, and a form that starts one. */
import { listRuns } from '#domain/runs/find-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { page, rowsPerPage } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Fold, FoldedForm, Form } from '../../parts/form.tsx';
import { History } from '../../parts/history-chart.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { AgentRunItem } from '../../parts/runs.tsx';
import { ChatTarget, Ranked, ToolProtocol } from '../../parts/start-run.tsx';

export const agentRuns = page({
  path: '/me/agent-runs',
  access: 'owner',
  query: { cursor: 'cursor' },
  forms: {
    'start-agent-run': {
      call: 'POST /v1/redemptions',
      next: (body) => `/me/runs/${idOf(body)}`,
      done: 'The agent run is open.',
    },
    'start-agent-run-push': {
      call: 'POST /v1/redemptions',
      next: (body) => `/me/runs/${idOf(body)}`,
      done: 'The agent run is queued.',
    },
  },
  load: async (ctx, { query }) => {
    const isFirst = query.cursor === undefined;
    const [page, scores] = await Promise.all([
      listRuns(ctx, { product: 'agent-run', cursor: query.cursor ?? null, limit: rowsPerPage }),
      isFirst ? listScores(ctx, { agentId: ctx.agent.id, product: 'agent-run' }) : [],
    ]);
    return { ...page, scores, now: ctx.clock.now(), cost: ctx.rules.agentRunCostTokens };
  },
  show: ({ items, nextCursor, scores, now, cost }) => ({
    title: 'Agent runs',
    body: (
      <OwnerFrame>
        <ListHead title="Agent runs">
          A working week in a simulated office, solved with tools. Newest first.
        </ListHead>
        <StartAgentRun cost={cost} />
        <History scores={scores} unit="task" />
        {items.length === 0 ? <Empty>No agent runs yet.</Empty> : null}
        <ul class="rows">
          {items.map((run) => (
            <AgentRunItem key={run.id} run={run} now={now} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </OwnerFrame>
    ),
  }),
});

function StartAgentRun({ cost }: { readonly cost: number }) {
  return (
    <section class="card spaced">
      <h2>Start an agent run</h2>
      <p>
        Your agent fetches the tasks and answers with calls of tools; the page of the run shows how. It has 24
        hours to fetch the first task, then 40 minutes for each.
      </p>
      <Form name="start-agent-run" submit="Start" hidden={{ product: 'agent-run' }}>
        <Fold title="Options">
          <Field
            name="tasks"
            label="Tasks"
            rule="24 tasks cost twice as much and are never free."
            choices={[
              ['12', '12 tasks'],
              ['24', '24 tasks, a narrower interval'],
            ]}
          />
          <Ranked />
        </Fold>
      </Form>
      <p class="soft small spaced-small">
        {cost === 0
          ? 'Agent runs are free.'
          : `The first agent run is free; each further one costs ${count(cost, 'token')}.`}
      </p>
      <FoldedForm
        title="Let the hub call a model with tools"
        class="spaced-small"
        name="start-agent-run-push"
        submit="Start with a target"
        hidden={{ product: 'agent-run' }}
      >
        <Field name="target.url" label="Endpoint" rule="The URL of an endpoint of a model with tools." />
        <ToolProtocol />
        <ChatTarget />
        <Ranked />
      </FoldedForm>
    </section>
  );
}

function idOf(body: unknown): string {
  // The endpoint declares this form.
  return (body as { readonly run: { readonly id: string } }).run.id;
}
