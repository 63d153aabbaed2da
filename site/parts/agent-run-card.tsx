/** The scorecard of a completed agent run. */
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import { worldVersion } from '#domain/agent-runs/agent-run.ts';
import { estimateAgentRun } from '#domain/agent-runs/estimate-agent-run.ts';
import type { AgentRunCard as Card } from '#domain/agent-runs/scorecard/make-card.ts';
import { makeTasks } from '#domain/eval-world/make-tasks.ts';
import { AgentRunFigures, AgentTask, TaskLevels } from './agent-tasks.tsx';
import { IntervalBar } from './charts.tsx';
import { Day } from './dates.tsx';

interface CardProps {
  readonly run: AgentRunRow;
  readonly card: Card;
  /** Whether the texts and the calls of each task are shown. */
  readonly withCalls: boolean;
}

export function AgentRunCard({ run, card, withCalls }: CardProps) {
  // Another version would generate other tasks from the seed.
  const tasks = withCalls && run.suiteVersion === worldVersion ? makeTasks(run.suiteSeed) : [];
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
      <section>
        <h2>Tasks</h2>
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

function Score({ run, score }: { readonly run: AgentRunRow; readonly score: number }) {
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
      <IntervalBar score={score} {...interval} />
    </div>
  );
}
