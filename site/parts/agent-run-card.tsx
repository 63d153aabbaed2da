/** The scorecard of a completed agent run. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { placeAmongNorms, statusOf } from '#domain/agent-runs/scorecard/card-texts.ts';
import { estimateAgentRun } from '#evals/office/estimate-agent-run.ts';
import type { AgentRunCard as Card } from '#domain/agent-runs/scorecard/make-card.ts';
import { tasksOf } from '#domain/agent-runs/tasks-of.ts';
import { AgentRunFigures, AgentTask, TaskLevels } from './agent-tasks.tsx';
import { IntervalBar, ShareBar } from './charts.tsx';
import { Day } from './dates.tsx';
import { Link } from './link.tsx';
import { MissedChoice } from './missed-choice.tsx';

interface CardProps {
  readonly run: RunRow;
  readonly card: Card;
  /** Whether the texts and the calls of each task are shown. */
  readonly withCalls: boolean;
}

export function AgentRunCard({ run, card, withCalls }: CardProps) {
  const tasks = withCalls ? tasksOf(run) : [];
  const missed = card.tasks.filter((task) => statusOf(task) !== 'passed').length;
  return (
    <>
      <section>
        <Score run={run} score={card.score} />
        <AgentRunFigures card={card} />
      </section>
      <section>
        <h2>Levels</h2>
        <TaskLevels tasks={card.tasks} />
      </section>
      <AgentNorms score={card.score} />
      <section>
        <h2>Tasks</h2>
        <MissedChoice all={card.tasks.length} missed={missed} />
        <ul class="rows">
          {card.tasks.map((task) => (
            <AgentTask
              key={task.n}
              task={task}
              made={tasks.find(({ n }) => n === task.n) ?? null}
              withCalls={withCalls}
            />
          ))}
        </ul>
      </section>
    </>
  );
}

/** The reference agents in order, with this run among them. */
function AgentNorms({ score }: { readonly score: number }) {
  return (
    <section>
      <h2>For comparison</h2>
      <ul class="bars single norms">
        {placeAmongNorms(score).map(({ name, score: own, about }) => (
          <li key={name} class={about === null ? 'own' : ''}>
            {about === null ? <b>{name}</b> : <span>{name}</span>}
            <ShareBar percent={own} label={`${name}: ${own}`} />
            {about === null ? <b class="num">{own.toFixed(1)}</b> : <span class="num">{own.toFixed(1)}</span>}
            <span class="soft small">{about}</span>
          </li>
        ))}
      </ul>
      <p class="soft small spaced-small">
        The scores of reference agents over 2,400 tasks.{' '}
        <Link to="/evaluation/guide#agent-runs">What a score means</Link>
      </p>
    </section>
  );
}

function Score({ run, score }: { readonly run: RunRow; readonly score: number }) {
  const { interval, level } = estimateAgentRun(run.verdicts ?? []);
  return (
    <div class="figure">
      <div>
        <p class="numeral">{score.toFixed(1)}</p>
        <p class="facts">
          of 100{run.finishedAt === null ? null : ' on '}
          {run.finishedAt === null ? null : <Day at={run.finishedAt} />}
          <br />
          95% interval {interval.low.toFixed(1)} to {interval.high.toFixed(1)}
          <br />
          level {level.value.toFixed(1)} ± {level.se.toFixed(1)}
        </p>
      </div>
      <IntervalBar score={score} {...interval} isLarge />
    </div>
  );
}
