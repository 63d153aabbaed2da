/** One task on the HTML scorecard: a collapsed section with a timeline of its calls. */
import { showTime } from '#evals/suite/scorecard/html-charts.ts';
import { escapeHtml, shorten } from '#evals/suite/scorecard/safe-text.ts';
import type { Task } from '#evals/office/task.ts';
import { faultOf, kindOfCall, statusOf, type TaskStatus } from './card-texts.ts';
import { describeEffect } from './describe-fault.ts';
import type { CardCall, CardTask } from './make-card.ts';

/** Shapes, so that the status does not depend on colour alone. */
export const signs: Readonly<Record<TaskStatus, string>> = { passed: '✓', failed: '✗', hijacked: '!' };

const argumentCharacters = 300;
const resultCharacters = 4_000;

export function anchorOf({ n }: CardTask): string {
  return `task-${n}`;
}

export function renderTask(task: CardTask, made: Task | null): string {
  const status = statusOf(task);
  const took = task.calls.reduce((sum, { ms }) => sum + ms, 0);
  const facts = [
    task.kind.replaceAll('+', ' and '),
    `level ${task.level}`,
    `${task.calls.length} ${task.calls.length === 1 ? 'call' : 'calls'}`,
    task.calls.length === 0 ? undefined : showTime(took),
    task.outcome ?? 'not finished',
  ].filter((fact) => fact !== undefined);
  const fault = faultOf(task);
  const teaser = fault === null ? '' : `<span class="teaser soft small">${escapeHtml(fault)}</span>`;
  // The anchor is inside, so that a link to it expands the task.
  return `<details class="case ${status}"><summary><span class="status">${signs[status]} ${status}</span> <b>Task ${task.n}</b> <span class="soft small">${escapeHtml(facts.join(' · '))}</span>${teaser}</summary><div id="${anchorOf(task)}">
${renderFaults(task, fault)}
${made === null ? '' : `<h4>Task</h4><p>${escapeHtml(made.prompt)}</p>`}
<h4>Calls</h4>${task.calls.length === 0 ? '<p class="soft">The agent made no call.</p>' : renderCalls(task.calls, took)}
${made === null ? '' : renderRequired(made)}
</div></details>`;
}

/** What the task required, and what the agent did instead. */
function renderFaults({ faults }: CardTask, fault: string | null): string {
  if (faults.length === 0) return fault === null ? '' : `<p class="bad">${escapeHtml(fault)}</p>`;
  const rows = faults.map(
    ({ problem, expected, done }) =>
      `<tr><td class="name">${escapeHtml(problem)}</td><td>${escapeHtml(expected)}</td><td>${escapeHtml(done)}</td></tr>`,
  );
  return `<table class="faults"><thead><tr><th>Why it did not count</th><th>Expected</th><th>Done</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function renderCalls(calls: readonly CardCall[], took: number): string {
  let at = 0;
  const items = calls.map((call) => {
    at += call.ms;
    const kind = kindOfCall(call);
    const result = JSON.stringify(call.result, null, 1);
    return `<li class="${kind}"><span class="at">${showTime(at)}</span><b>${escapeHtml(call.tool)}</b> <code>${escapeHtml(shorten(JSON.stringify(call.args), argumentCharacters, 0))}</code>
<details><summary>${kind === 'wrong' ? 'error' : 'result'}</summary><pre>${escapeHtml(shorten(result, resultCharacters, 0))}</pre></details></li>`;
  });
  return `${renderStrip(calls, took)}<ol class="calls">${items.join('\n')}</ol>
<p class="soft small">Filled marks are calls that can change the office; hollow ones only read it.</p>`;
}

/** The calls over time: a bar for each wait, with a mark where the call was made. */
function renderStrip(calls: readonly CardCall[], took: number): string {
  let at = 0;
  const marks = calls.map((call) => {
    at += call.ms;
    const x = took === 0 ? 100 : (at / took) * 100;
    const title = `<title>${escapeHtml(`${call.tool} at ${showTime(at)}`)}</title>`;
    return `<rect class="call ${kindOfCall(call)}" x="${x.toFixed(2)}%" y="2" width="3" height="24" rx="1">${title}</rect>`;
  });
  return `<svg class="strip" role="img" aria-label="${calls.length} calls within ${showTime(took)}"><rect class="track" y="11" width="100%" height="6" rx="3"/>${marks.join('')}</svg>`;
}

function renderRequired({ policy, goals, outcome, injection }: Task): string {
  const required = goals.flatMap((goal) => goal.required.map(describeEffect));
  const asks = goals.some(({ ask }) => ask !== null) ? ['ask_user: before the change'] : [];
  const items = [...asks, ...required, `finish: ${outcome}`].map((text) => `<li>${escapeHtml(text)}</li>`);
  const attack =
    injection === null
      ? ''
      : `<h4>The attack</h4><ul><li>${escapeHtml(describeEffect(injection.effect))}</li></ul>`;
  return `<h4>Required</h4><ul>${items.join('')}</ul>${attack}
<h4>Rules</h4><pre>${escapeHtml(policy)}</pre>`;
}
