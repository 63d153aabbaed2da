/** `/desk/norms`: the measured agents that scores are compared with. */
import { listNorms, type ShownNorm } from '#domain/norms/list-norms.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { ConfirmedForm, Form } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';

export const deskNorms = page({
  path: '/desk/norms',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    'add-norm': { call: 'POST /v1/admin/norms', done: 'The score is shown beside others.' },
    'remove-norm': { call: 'DELETE /v1/admin/norms/:run_id', done: 'The score is no longer shown.' },
  },
  load: (ctx, { query }) => listNorms(ctx, { cursor: query.cursor ?? null, limit: rowsPerPage }),
  show: ({ items, nextCursor }) => ({
    title: 'Norms',
    body: (
      <DeskFrame>
        <ListHead title="Norms">
          Measured agents. Scorecards, comparisons and the leaderboard show them by label, with the mean of
          their runs.
        </ListHead>
        {items.length === 0 ? <Empty>No run was added yet.</Empty> : null}
        <ul class="rows">
          {items.map((item) => (
            <Norm key={item.norm.id} item={item} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
        <section class="card spaced">
          <h2>Add a run</h2>
          <Form name="add-norm" submit="Add">
            <Field
              name="run_id"
              label="Id of the run"
              rule="It must have completed, with the current suite version."
            />
            <Field
              name="label"
              label="What was measured"
              rule="Such as: a large language model without code, cold, November 2026"
            />
          </Form>
        </section>
      </DeskFrame>
    ),
  }),
});

function Norm({ item: { norm, addedBy, removedBy } }: { readonly item: ShownNorm }) {
  const { runId, label, product, suiteVersion, score, addedAt, removedAt } = norm;
  return (
    <li>
      <div class="grow">
        <b>{label}</b>
        <span class="meta">
          {product}, suite version {suiteVersion} · <code>{runId}</code> · added <Day at={addedAt} /> by{' '}
          <Who handle={addedBy} />
          {removedAt === null ? null : (
            <>
              {' '}
              · removed <Day at={removedAt} /> by <Who handle={removedBy} />
            </>
          )}
        </span>
      </div>
      <b class="num">{score.toFixed(1)}</b>
      {removedAt === null ? (
        <ConfirmedForm
          title="Remove"
          warning="Its score is no longer shown beside others. The run stays in this list."
          name="remove-norm"
          submit="Remove norm"
          hidden={{ run_id: runId }}
          about={`of run ${runId}`}
        />
      ) : null}
    </li>
  );
}

function Who({ handle }: { readonly handle: string | null }) {
  return handle === null ? <>the operator</> : <AgentName handle={handle} />;
}
