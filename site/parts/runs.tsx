/** Eval runs: their rows, their status and their score. */
import type { RunRow as Run } from '#db/schema/run-tables.ts';
import type { ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { IntervalBar, ShareBar } from './charts.tsx';
import { Ago, Day, Moment } from './dates.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

export function RunRow({ job, now }: { readonly job: Run; readonly now: Date }) {
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

export function AgentRunItem({ run, now }: { readonly run: Run; readonly now: Date }) {
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
  readonly status: Run['status'];
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

function Failure({ run }: { readonly run: Ended }) {
  if (run.status !== 'failed') return null;
  return <p class="small bad">{run.failureMessage ?? run.failureCode}</p>;
}

function Outcome({ run }: { readonly run: Pick<Run, 'status' | 'score'> }) {
  return run.score === null ? <RunState job={run} /> : <b class="num">{run.score.toFixed(1)}</b>;
}

function priceOf({ chargeFree, chargeTokens }: Pick<Run, 'chargeFree' | 'chargeTokens'>): string {
  return chargeFree ? 'free' : count(chargeTokens, 'token');
}

const tones = { queued: '', running: 'moving', completed: 'good', failed: 'bad' } as const;

export function RunState({ job }: { readonly job: Pick<Run, 'status'> }) {
  return <span class={`state ${tones[job.status]}`}>{job.status}</span>;
}

interface ScoreFigureProps {
  readonly card: ScoreJson;
  readonly at: Date | null;
}

export function ScoreFigure({ card: { score, interval, level, categories }, at }: ScoreFigureProps) {
  return (
    <section>
      <div class="figure">
        <div>
          <p class="numeral">{score.toFixed(1)}</p>
          <p class="facts">
            of 100{at === null ? '' : ' on '}
            {at === null ? null : <Day at={at} />}
            <br />
            95% interval {interval.low.toFixed(1)} to {interval.high.toFixed(1)}
            <br />
            level {level.value.toFixed(1)} ± {level.se.toFixed(1)}
          </p>
        </div>
        <IntervalBar score={score} {...interval} isLarge />
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

export function RunFacts({ job, withTarget }: { readonly job: Run; readonly withTarget: boolean }) {
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
