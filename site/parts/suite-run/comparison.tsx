/** What changed between two runs, case by case: what broke comes first. */
import { pointsText, roundRate } from '#evals/rates.ts';
import { reachText } from '#evals/report/bars.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ComparedRuns } from '#domain/runs/compare-runs.ts';
import { Day } from '../dates.tsx';
import { Link } from '../link.tsx';
import { count, signed } from '../numbers.ts';

interface ComparisonProps {
  readonly compared: ComparedRuns;
}

const verdicts = {
  better: 'Better: the change is unlikely to be chance.',
  worse: 'Worse: the change is unlikely to be chance.',
  'no clear change': 'No clear change: what changed may be chance.',
} as const;

export function SuiteComparison({ compared }: ComparisonProps) {
  const { before, after, verdict, p, reach, broken, fixed } = compared;
  // Of the scores as they are shown.
  const change = roundRate(after.score ?? 0) - roundRate(before.score ?? 0);
  return (
    <>
      <h1>What changed</h1>
      <section>
        <div class="figure">
          <div>
            <p class="numeral">{signed(change)}</p>
            <p class="facts">points of 100</p>
          </div>
          <div>
            <p class="lead">{verdicts[verdict]}</p>
            <p class="soft">
              {count(broken.length, 'case')} broken, {fixed.length} fixed; {reachText(reach)}. p{' '}
              {p < 0.001 ? 'below 0.001' : `= ${Number(p.toFixed(3))}`}.
            </p>
          </div>
        </div>
      </section>
      <Cases title="Broken" about="Passed before; all trials fail now." ids={broken} compared={compared} />
      <Cases
        title="Flaky now"
        about="Some trials pass now, and the case was not flaky before."
        ids={compared.flaky_now}
        compared={compared}
      />
      <Cases
        title="Still failing"
        about="No trial passed, before and now."
        ids={compared.still_failing}
        compared={compared}
      />
      <Cases title="Fixed" about="No trial passed before; all pass now." ids={fixed} compared={compared} />
      <section>
        <h2>The runs</h2>
        <dl class="facts-grid">
          <Side name="Before" run={before} />
          <Side name="After" run={after} />
        </dl>
        <p class="spaced-small small">
          <Link to={`/me/runs/${after.id}/compare/${before.id}`}>Swap</Link>
        </p>
      </section>
    </>
  );
}

/** A list with more is shown in part, so that the page stays small. */
const casesShownMax = 100;

interface CasesProps extends ComparisonProps {
  readonly title: string;
  readonly about: string;
  readonly ids: readonly string[];
}

function Cases({ title, about, ids, compared: { before, after } }: CasesProps) {
  return (
    <section>
      <h2>
        {title} <span class="soft">{ids.length}</span>
      </h2>
      <p class="soft small">{about}</p>
      {ids.length === 0 ? null : (
        <ul class="rows">
          {ids.slice(0, casesShownMax).map((id) => (
            <li key={id}>
              <span class="grow">{id}</span>
              <span class="small">
                <Link to={casePath(before, id)}>before</Link> · <Link to={casePath(after, id)}>after</Link>
              </span>
            </li>
          ))}
        </ul>
      )}
      {ids.length <= casesShownMax ? null : (
        <p class="soft small">And {count(ids.length - casesShownMax, 'more case')}, which the API returns.</p>
      )}
    </section>
  );
}

function casePath(run: RunRow, id: string): string {
  return `/me/runs/${run.id}?case=${encodeURIComponent(id)}#cases`;
}

function Side({ name, run }: { readonly name: string; readonly run: RunRow }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Link to={`/me/runs/${run.id}`}>
          {pointsText(run.score ?? 0)} on <Day at={run.createdAt} />
        </Link>
        , version {run.suiteVersion}
        {run.label === null ? '' : `, ${run.label}`}
      </dd>
    </>
  );
}
