/** Rows of runs, with their status and score. */
import { pointsText } from '#evals/rates.ts';
import { productOf } from '#domain/runs/products.ts';
import type { RunRow as Run } from '#db/schema/run-tables.ts';
import { Ago, dayOf, Moment, timeOf } from './dates.tsx';
import { Fact } from './fact.tsx';
import { Link } from './link.tsx';
import { count, priceText, thousands } from './numbers.ts';

export function runPath({ id }: Pick<Run, 'id'>): string {
  return `/me/runs/${id}`;
}

/** The page that follows a form about a run. */
export function pageOfRun({ run }: { readonly run: Pick<Run, 'id'> }): string {
  return runPath(run);
}

/** @param before the id of the run with which `after` is compared */
export function comparePath(before: string, after: string): string {
  return `/me/compare?before=${before}&after=${after}`;
}

/** Such as `main, 18 Nov 2026, 21:53`: a day alone would not tell two runs apart. */
export function runName({ label, createdAt }: Pick<Run, 'label' | 'createdAt'>): string {
  return `${label === null ? '' : `${label}, `}${dayOf(createdAt)}, ${timeOf(createdAt)}`;
}

/** Such as `10 cases`, or `5 of 10 cases` of its version. */
function casesText({ only, runSize, trials }: Pick<Run, 'only' | 'runSize' | 'trials'>): string {
  return only === null
    ? count(runSize / trials, 'case')
    : `${thousands(only.places.length)} of ${count(only.of, 'case')}`;
}

/** For a score beside others: that of some cases says of how many. */
export function scoreText(run: Pick<Run, 'score' | 'only' | 'runSize' | 'trials'>): string {
  return `${pointsText(run.score ?? 0)}${run.only === null ? '' : ` (${casesText(run)})`}`;
}

export function RunItem({ run, now }: { readonly run: Run; readonly now: Date }) {
  const { trials, label } = run;
  return (
    <li>
      <div class="grow">
        <Link to={runPath(run)} class="title">
          <span class="hidden">{productOf(run).describe.title} of </span>
          {label === null ? null : `${label}, `}
          <Moment at={run.createdAt} />
        </Link>
        <span class="meta">
          {run.suiteName}, version {run.suiteVersion} · <Ago at={run.createdAt} now={now} /> ·{' '}
          {casesText(run)}
          {trials === 1 ? '' : ` × ${trials}`} · {priceText(run.chargeFree ? 0 : run.chargeTokens)}
          {run.ranked ? ' · ranked' : ''}
          {run.struckAt === null ? '' : ' · struck off'}
        </span>
        {run.status === 'failed' ? <p class="small bad">{run.failureMessage ?? run.failureCode}</p> : null}
      </div>
      {run.score === null ? <RunState job={run} /> : <b class="num">{pointsText(run.score)}</b>}
    </li>
  );
}

const tones = { queued: '', running: 'moving', completed: 'good', failed: 'bad' } as const;

export function RunState({ job }: { readonly job: Pick<Run, 'status'> }) {
  return <span class={`state ${tones[job.status]}`}>{job.status}</span>;
}

export function RunFacts({ job }: { readonly job: Run }) {
  return (
    <dl class="facts-grid">
      <Fact name="Suite">
        {job.suiteName}, version {job.suiteVersion}
      </Fact>
      {job.targetUrl === null ? null : <Fact name="Target">{job.targetUrl}</Fact>}
      <Fact name="Started">{job.startedAt === null ? 'not yet' : <Moment at={job.startedAt} />}</Fact>
      <Fact name="Ended">{job.finishedAt === null ? 'not yet' : <Moment at={job.finishedAt} />}</Fact>
    </dl>
  );
}
