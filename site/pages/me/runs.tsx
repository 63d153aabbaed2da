/** `/me/runs`: the owner's runs of every product, the history of their scores, and the forms that start one. */
import { listRuns } from '#domain/runs/find-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { mainProduct, type ProductName, productNames, productOf } from '#domain/runs/products.ts';
import { page, rowsPerPage } from '../../page.ts';
import { History } from '../../parts/history-chart.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead, Rows, Tabs } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { pageOfRun, RunItem } from '../../parts/runs.tsx';
import { StartAgentRun, StartRun } from '../../parts/start-run.tsx';
import { useView } from '../../view.ts';

const queued = { call: 'POST /v1/redemptions', next: pageOfRun, done: 'The run is queued.' } as const;
const waiting = { ...queued, done: 'The run is waiting for your agent.' } as const;

const plural = (name: ProductName): string => `${productOf({ product: name }).describe.title.toLowerCase()}s`;
const tabs = [
  { value: 'all', text: 'all' },
  ...productNames.map((name) => ({ value: name, text: plural(name) })),
];

export const runs = page({
  path: '/me/runs',
  access: 'owner',
  query: { product: 'search', suite: 'search', label: 'search', cursor: 'cursor' },
  forms: {
    start: queued,
    'start-pull': waiting,
    'start-agent-run': waiting,
    'start-agent-run-push': queued,
  },
  load: async (ctx, { query: { suite, label, cursor = null, ...query } }) => {
    const product = productNames.find((name) => name === query.product);
    // Runs of different suites are on no chart together.
    const isOfSuite = product === undefined || product === 'suite-run';
    const ofSuite =
      suite !== undefined && isOfSuite ? ({ product: 'suite-run', suiteName: suite } as const) : null;
    const charted = ofSuite ?? { product: product ?? mainProduct };
    const hasChart =
      cursor === null && (ofSuite !== null || (suite === undefined && charted.product !== 'suite-run'));
    const [page, scores] = await Promise.all([
      listRuns(ctx, { product, suite, label, cursor, limit: rowsPerPage }),
      hasChart ? listScores(ctx, { agentId: ctx.agent.id, ...charted }) : [],
    ]);
    const isMixed = product === undefined && ofSuite === null;
    return { ...page, product, isMixed, scores, now: ctx.clock.now(), rules: ctx.rules };
  },
  show: ({ items, nextCursor, product, isMixed, scores, now, rules }) => ({
    title: 'Runs',
    body: (
      <OwnerFrame>
        <ListHead title="Runs">
          Newest first. <Link to="/me/compare">Compare two</Link>
        </ListHead>
        <Filters />
        <Start product={product} rules={rules} />
        <History
          scores={scores}
          unit={product === 'agent-run' ? 'task' : 'case'}
          {...(isMixed ? { of: plural(mainProduct) } : {})}
        />
        <Rows items={items} empty="No runs yet." nextCursor={nextCursor}>
          {(run) => <RunItem run={run} now={now} />}
        </Rows>
      </OwnerFrame>
    ),
  }),
});

/** The choice of a product; on a list of one suite or label, a link to all. */
function Filters() {
  const { suite, label } = useView().query;
  if (suite === undefined && label === undefined) return <Tabs label="Product" name="product" tabs={tabs} />;
  return (
    <p class="soft">
      Only runs
      {suite === undefined ? null : <> of {suite}</>}
      {label === undefined ? null : <> with the label {label}</>}. <Link to="/me/runs">Show all</Link>
      {suite === undefined ? null : (
        <>
          {' '}
          · <Link to={`/suites/${suite}/matrix`}>Compare labels</Link>
        </>
      )}
    </p>
  );
}

interface StartProps {
  readonly product: ProductName | undefined;
  readonly rules: { readonly evalRunCostTokens: number; readonly agentRunCostTokens: number };
}

function Start({ product, rules }: StartProps) {
  const isOfSuite = useView().query['suite'] !== undefined;
  if (product === 'agent-run') return <StartAgentRun cost={rules.agentRunCostTokens} />;
  if (product !== 'suite-run' && !isOfSuite) return <StartRun cost={rules.evalRunCostTokens} />;
  return (
    <p class="soft">
      The page of a <Link to="/suites">suite</Link> starts a run of it.
    </p>
  );
}
