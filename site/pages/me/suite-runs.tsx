/** `/me/suite-runs`: the owner's runs of suites. */
import { listRuns } from '#domain/runs/find-run.ts';
import { page, rowsPerPage } from '../../page.ts';
import { Link } from '../../parts/link.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { SuiteRunItem } from '../../parts/runs.tsx';
import { useView } from '../../view.ts';

export const suiteRuns = page({
  path: '/me/suite-runs',
  access: 'owner',
  query: { suite: 'search', label: 'search', cursor: 'cursor' },
  load: async (ctx, { query: { suite, label, cursor = null } }) => ({
    ...(await listRuns(ctx, { product: 'suite-run', suite, label, cursor, limit: rowsPerPage })),
    now: ctx.clock.now(),
  }),
  show: ({ items, nextCursor, now }) => ({
    title: 'Suite runs',
    body: (
      <OwnerFrame>
        <ListHead title="Suite runs">
          Runs of <Link to="/suites">suites</Link>, your own and those of others. Newest first.
        </ListHead>
        <Filters />
        {items.length === 0 ? (
          <Empty>
            No suite runs yet. The page of a <Link to="/suites">suite</Link> starts one.
          </Empty>
        ) : null}
        <ul class="rows">
          {items.map((run) => (
            <SuiteRunItem key={run.id} run={run} now={now} />
          ))}
        </ul>
        <Pager nextCursor={nextCursor} />
      </OwnerFrame>
    ),
  }),
});

/** What the list is limited to, with a link to all. */
function Filters() {
  const { suite, label } = useView().query;
  if (suite === undefined && label === undefined) return null;
  return (
    <p class="soft">
      Only runs
      {suite === undefined ? null : <> of {suite}</>}
      {label === undefined ? null : <> with the label {label}</>}. <Link to="/me/suite-runs">Show all</Link>
      {suite === undefined ? null : (
        <>
          {' '}
          · <Link to={`/suites/${suite}/matrix`}>Compare labels</Link>
        </>
      )}
    </p>
  );
}
