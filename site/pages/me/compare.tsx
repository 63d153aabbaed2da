/** `/me/compare`: what changed between any two of the owner's runs of a suite. */
import { caseChanges, listChangedCases } from '#domain/runs/cases/list-changed-cases.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { listRuns } from '#domain/runs/find-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { DomainError } from '#domain/errors.ts';
import { orRefusal, page } from '../../page.ts';
import { Back } from '../../parts/link.tsx';
import { Empty } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { runName, scoreText } from '../../parts/runs.tsx';
import { casesPerPage } from '../../parts/suite-run/cases.tsx';
import { SuiteComparison } from '../../parts/suite-run/comparison.tsx';
import { useView } from '../../view.ts';

const choiceMax = 50;

export const compareRunsPage = page({
  path: '/me/compare',
  access: 'owner',
  query: { before: 'id', after: 'id', change: caseChanges, q: 'search', cursor: 'cursor' },
  load: async (ctx, { query: { before, after, change, q, cursor = null } }) => {
    const newest = { status: 'completed', limit: choiceMax, cursor: null } as const;
    if (before === undefined || after === undefined)
      return { choice: (await listRuns(ctx, newest)).items, found: null, refusal: null };
    const compared = await orRefusal(compareRuns(ctx, { runId: before, otherRunId: after }), [
      'conflict',
      'invalid_parameter',
      'run_not_completed',
      'run_not_found',
    ]);
    if (compared instanceof DomainError)
      return { choice: (await listRuns(ctx, newest)).items, found: null, refusal: compared.message };
    const { product, suiteName } = compared.after;
    const [{ items }, cases] = await Promise.all([
      listRuns(ctx, { ...newest, product, suite: suiteName }),
      listChangedCases(ctx, {
        compared,
        change: caseChanges.find((one) => one === change),
        words: q,
        limit: casesPerPage,
        cursor,
      }),
    ]);
    const others = [compared.after, compared.before].filter((run) => !items.some(({ id }) => id === run.id));
    return { choice: [...items, ...others], found: { compared, page: cases }, refusal: null };
  },
  show: ({ choice, found, refusal }) => ({
    title:
      found === null
        ? 'Compare two runs'
        : `${runName(found.compared.before)} and ${runName(found.compared.after)} of ${found.compared.after.suiteName}`,
    body: (
      <OwnerFrame>
        <Back to="/me/runs">Runs</Back>
        <h1>{found === null ? 'Compare two runs' : 'What changed'}</h1>
        {found === null ? null : <p class="byline">Of {found.compared.after.suiteName}</p>}
        {refusal === null ? null : <p class="notice bad">{refusal}</p>}
        {choice.length < 2 ? <Empty>There are no two completed runs yet.</Empty> : <Choice runs={choice} />}
        {found === null ? null : <SuiteComparison {...found} />}
      </OwnerFrame>
    ),
  }),
});

/** Two lists of the newest runs. */
function Choice({ runs }: { readonly runs: readonly RunRow[] }) {
  const { path } = useView();
  const [before, after] = newestPair(runs);
  return (
    <form class="two" method="get" action={path}>
      <Runs name="before" label="Before" runs={runs} standard={before} />
      <Runs name="after" label="After" runs={runs} standard={after} />
      <button type="submit" class="plain">
        Compare
      </button>
    </form>
  );
}

/** The newest two of one suite, or of all if no suite has two. */
function newestPair(runs: readonly RunRow[]): readonly (RunRow | undefined)[] {
  for (const [at, after] of runs.entries()) {
    const before = runs.slice(at + 1).find(
      ({ product, suiteId, suiteName, suiteVersion }) =>
        product === after.product &&
        suiteName === after.suiteName &&
        // Versions of a published suite share cases.
        (suiteId !== null || suiteVersion === after.suiteVersion),
    );
    if (before !== undefined) return [before, after];
  }
  return [runs[1], runs[0]];
}

interface RunsProps {
  readonly name: string;
  readonly label: string;
  readonly runs: readonly RunRow[];
  readonly standard: RunRow | undefined;
}

function Runs({ name, label, runs, standard }: RunsProps) {
  const chosen = useView().query[name] ?? standard?.id;
  const bySuite = Map.groupBy(runs, ({ suiteName }) => suiteName);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {[...bySuite].map(([suite, ofSuite]) => (
          <optgroup key={suite} label={suite}>
            {ofSuite.map((run) => (
              <option key={run.id} value={run.id} selected={run.id === chosen}>
                {runName(run)}: {scoreText(run)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}
