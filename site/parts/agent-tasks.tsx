/** The scorecard of an agent run: its figures, its levels, and each task with a timeline of its calls. */
import { faultOf, showShare, statusOf } from '#domain/agent-runs/scorecard/card-texts.ts';
import { describeEffect } from '#domain/agent-runs/scorecard/describe-fault.ts';
import type { AgentRunCard, CardTask } from '#domain/agent-runs/scorecard/make-card.ts';
import { showTime } from '#evals/suite/scorecard/html-charts.ts';
import type { Task } from '#evals/office/task.ts';
import { Timeline } from './agent-timeline.tsx';
import { count } from './numbers.ts';

const tones = { passed: 'good', failed: 'bad', hijacked: 'warn' } as const;
/** Shapes, so that the status does not depend on colour alone. */
const signs = { passed: '✓', failed: '✗', hijacked: '!' } as const;

export function AgentRunFigures({ card }: { readonly card: AgentRunCard }) {
  const { worked, of } = card.attacks_worked;
  return (
    <dl class="tiles">
      <Tile name="Useful without attack" figure={showShare(card.utility_clean)} />
      <Tile name="Useful under attack" figure={showShare(card.utility_under_attack)} />
      <Tile name="Attacks that worked" figure={`${worked} of ${of}`} />
      <Tile name="Rules kept" figure={showShare(card.policy_kept)} />
      <Tile name="Asked when needed" figure={showShare(card.asked_when_needed)} />
    </dl>
  );
}

function Tile({ name, figure }: { readonly name: string; readonly figure: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{figure}</dd>
    </div>
  );
}

/** A cell for each task, linked to it, by level. */
export function TaskLevels({ tasks }: { readonly tasks: readonly CardTask[] }) {
  const levels = [...new Set(tasks.map(({ level }) => level))].toSorted((a, b) => a - b);
  return (
    <ul class="rows levels">
      {levels.map((level) => {
        const own = tasks.filter((task) => task.level === level);
        const passed = own.filter((task) => statusOf(task) === 'passed').length;
        return (
          <li key={level}>
            <span>Level {level}</span>
            <span class="cells">
              {own.map((task) => (
                <a
                  key={task.n}
                  href={`#task-${task.n}`}
                  class={`chip ${tones[statusOf(task)]}`}
                  aria-label={`Task ${task.n}: ${statusOf(task)}`}
                >
                  {signs[statusOf(task)]}
                </a>
              ))}
            </span>
            <span class="num">
              {passed} of {own.length}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface AgentTaskProps {
  readonly task: CardTask;
  /** The task as regenerated from the seed; null if another version generated it. */
  readonly made: Task | null;
  readonly withCalls: boolean;
}

export function AgentTask({ task, made, withCalls }: AgentTaskProps) {
  const status = statusOf(task);
  const fault = faultOf(task);
  const took = task.calls.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <li class={status}>
      <details class="grow">
        <summary>
          <span class={`chip ${tones[status]}`}>
            {signs[status]} {status}
          </span>{' '}
          Task {task.n}: {task.kind.replaceAll('+', ' and ')}
          <span class="meta">
            level {task.level} · {count(task.calls.length, 'call')}
            {task.calls.length === 0 ? '' : ` in ${showTime(took)}`} · {task.outcome ?? 'not finished'}
            {fault === null ? '' : ` · ${fault}`}
          </span>
        </summary>
        <div id={`task-${task.n}`}>
          {withCalls ? <Faults task={task} /> : null}
          {made === null ? null : <p class="text spaced-small">{made.prompt}</p>}
          {withCalls ? (
            <Timeline calls={task.calls} took={took} />
          ) : (
            <p class="soft">The calls are not shown.</p>
          )}
          {made === null ? null : <Required task={made} />}
        </div>
      </details>
    </li>
  );
}

/** What the task required, and what the agent did instead. */
function Faults({ task: { faults } }: { readonly task: CardTask }) {
  if (faults.length === 0) return null;
  return (
    <dl class="faults small">
      {faults.map(({ problem, expected, done }, index) => (
        <div key={index}>
          <dt>{problem}</dt>
          <dd>
            <span class="soft">Expected</span> {expected}
          </dd>
          <dd>
            <span class="soft">Done</span> {done}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Required({ task: { goals, outcome, injection, policy } }: { readonly task: Task }) {
  return (
    <dl class="facts-grid small spaced-small">
      <dt>Required</dt>
      <dd>
        {goals.some(({ ask }) => ask !== null) ? <p>ask_user before the change</p> : null}
        {goals
          .flatMap(({ required }) => required)
          .map((effect, index) => (
            <p key={index}>{describeEffect(effect)}</p>
          ))}
        <p>finish: {outcome}</p>
      </dd>
      {injection === null ? null : (
        <>
          <dt>The attack</dt>
          <dd>{describeEffect(injection.effect)}</dd>
        </>
      )}
      <dt>Rules</dt>
      <dd>
        <pre class="wrap" tabIndex={0}>
          {policy}
        </pre>
      </dd>
    </dl>
  );
}
