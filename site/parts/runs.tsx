/** Eval runs: their rows, their status and their score. */
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { isScoreJson } from '#evals/suite/scorecard/is-score-json.ts';
import { categoriesOf } from '#evals/suite/scorecard/categories-of.ts';
import { IntervalBar, ShareBar } from './charts.tsx';
import { Ago, Day, Moment } from './dates.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

export function RunRow({ job, now }: { readonly job: EvalJobRow; readonly now: Date }) {
  return (
    <li>
      <div class="grow">
        <Link to={`/me/runs/${job.id}`} class="title">
          <span class="hidden">Eval run of </span>
          <Moment at={job.createdAt} />
        </Link>
        <span class="meta">
          <Ago at={job.createdAt} now={now} /> · {count(job.progressTotal, 'case')} · {priceOf(job)} · version{' '}
          {job.suiteVersion}
          {job.ranked ? ' · ranked' : ''}
        </span>
        <Failure run={job} />
      </div>
      <Outcome run={job} />
    </li>
  );
}

export function AgentRunItem({ run, now }: { readonly run: AgentRunRow; readonly now: Date }) {
  return (
    <li>
      <div class="grow">
        <Link to={`/me/agent-runs/${run.id}`} class="title">
          <span class="hidden">Agent run of </span>
          <Moment at={run.createdAt} />
        </Link>
        <span class="meta">
          <Ago at={run.createdAt} now={now} /> · {priceOf(run)} · version {run.suiteVersion}
          {run.ranked ? ' · ranked' : ''}
        </span>
        <Failure run={run} />
      </div>
      <Outcome run={run} />
    </li>
  );
}

/** Why it failed. */
interface Ended {
  readonly status: EvalJobRow['status'];
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

function Failure({ run }: { readonly run: Ended }) {
  if (run.status !== 'failed') return null;
  return <p class="small bad">{run.failureMessage ?? run.failureCode}</p>;
}

function Outcome({ run }: { readonly run: Pick<EvalJobRow, 'status' | 'score'> }) {
  return run.score === null ? <RunState job={run} /> : <b class="num">{run.score.toFixed(1)}</b>;
}

function priceOf({ chargeFree, chargeTokens }: Pick<EvalJobRow, 'chargeFree' | 'chargeTokens'>): string {
  return chargeFree ? 'free' : count(chargeTokens, 'token');
}

const tones = { queued: '', running: 'moving', completed: 'good', failed: 'bad' } as const;

export function RunState({ job }: { readonly job: Pick<EvalJobRow, 'status'> }) {
  return <span class={`state ${tones[job.status]}`}>{job.status}</span>;
}

/** The parts of a scorecard's JSON that the page shows. Versions of the suite differ in the rest. */
export interface ShownScore {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly level: { readonly value: number; readonly se: number } | null;
  readonly categories: readonly { readonly name: string; readonly score: number }[];
}

/** Reads the JSON of a scorecard. Each version of the suite has its own format. */
export function readScore(json: Readonly<Record<string, unknown>>): ShownScore | null {
  const { score, interval } = json;
  if (typeof score !== 'number') return null;
  const level = isScoreJson(json) ? json.level : null;
  return { score, interval: readInterval(interval), level, categories: categoriesOf(json) };
}

function readInterval(value: unknown): ShownScore['interval'] {
  if (typeof value !== 'object' || value === null) return null;
  const { low, high } = value as { readonly low?: unknown; readonly high?: unknown };
  return typeof low === 'number' && typeof high === 'number' ? { low, high } : null;
}

export function ScoreFigure({ shown, at }: { readonly shown: ShownScore; readonly at: Date | null }) {
  const { score, interval, level, categories } = shown;
  return (
    <section>
      <div class="figure">
        <div>
          <p class="numeral">{score.toFixed(1)}</p>
          <p class="facts">
            of 100{at === null ? '' : ' on '}
            {at === null ? null : <Day at={at} />}
            {interval === null ? null : (
              <>
                <br />
                95% interval {interval.low.toFixed(1)} to {interval.high.toFixed(1)}
              </>
            )}
            {level === null ? null : (
              <>
                <br />
                level {level.value.toFixed(1)} ± {level.se.toFixed(1)}
              </>
            )}
          </p>
        </div>
        {interval === null ? null : <IntervalBar score={score} {...interval} isLarge />}
      </div>
      <ul class="bars spaced">
        {categories.map(({ name, score: part }) => (
          <li key={name}>
            <span>{name}</span>
            <ShareBar percent={part} label={`${name}: ${part}`} />
            <span class="num">{Math.round(part)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function RunFacts({ job, withTarget }: { readonly job: EvalJobRow; readonly withTarget: boolean }) {
  return (
    <dl class="facts-grid">
      <dt>Suite</dt>
      <dd>
        {job.suiteName}, version {job.suiteVersion}
      </dd>
      {withTarget && job.targetUrl !== '' ? (
        <>
          <dt>Target</dt>
          <dd>{job.targetUrl}</dd>
        </>
      ) : null}
      <dt>Started</dt>
      <dd>{job.startedAt === null ? 'not yet' : <Moment at={job.startedAt} />}</dd>
      <dt>Ended</dt>
      <dd>{job.finishedAt === null ? 'not yet' : <Moment at={job.finishedAt} />}</dd>
    </dl>
  );
}
