/** The items of completed runs as exports have them: what the agent's own view shows, and nothing more. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedTrial } from '#evals/export/run-export.ts';
import type { CardTask } from '#evals/office/scorecard/make-card.ts';
import type { ShownTrial } from '#evals/own-suite/stored-trial.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import type { ShownCase } from '#evals/suite/scorecard/model.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { caseOfTrial } from '#evals/suite/trials.ts';
import { readAgentRunCard } from '../../agent-runs/read-card.ts';
import type { AgentCtx } from '../../context.ts';
import { describeCases } from '../../eval-jobs/describe-cases.ts';
import { listItems } from '../store-items.ts';
import { showSuiteCases } from './suite-run/show-cases.ts';

export async function exportSuiteCases(ctx: AgentCtx, run: RunRow): Promise<readonly ExportedItem[]> {
  const cases = await showSuiteCases(ctx, run, await listItems(ctx, run.id));
  return cases.flatMap(({ case_id: id, tags, prompt, trials }) =>
    trials.length === 0 ? [] : [{ id, tags, prompt, trials: trials.map(suiteTrial) }],
  );
}

export async function exportEvalCases(ctx: AgentCtx, run: RunRow): Promise<readonly ExportedItem[]> {
  // The plan of an eval run stores these.
  const cases = describeCases(ctx, run, (await listItems(ctx, run.id)) as StoredCase[]);
  return [...Map.groupBy(cases, ({ index }) => caseOfTrial(index, run.repeat)).values()].flatMap((trials) => {
    const [first] = trials;
    if (first === undefined) return [];
    const tags = [first.category, first.kind, `level-${first.level}`];
    return [{ id: first.id, tags, prompt: first.prompt, trials: trials.map(evalTrial) }];
  });
}

export async function exportTasks(ctx: AgentCtx, run: RunRow): Promise<readonly ExportedItem[]> {
  const read = await readAgentRunCard(ctx, run);
  return (read?.card.tasks ?? []).map((task) => ({
    id: `task-${task.n}`,
    tags: [task.kind, `level-${task.level}`],
    prompt: null,
    trials: [taskTrial(task)],
  }));
}

function trialOf(item: Omit<StoredItem, 'index'>) {
  return {
    status: item.status,
    share: item.score,
    reply: item.response_text,
    error: item.error_code,
    latencyMs: item.latency_ms,
    usage: item.usage ?? null,
  };
}

function suiteTrial({ graders, ungraded, ...trial }: ShownTrial): ExportedTrial {
  const lines = (field: 'expected' | 'found') =>
    linesOf(graders.flatMap(({ name, [field]: text }) => (text === null ? [] : [`${name}: ${text}`])));
  const isHidden = graders.some(({ expected }) => expected === null);
  const failed = graders.filter(({ passed }) => !passed).map(({ name }) => `${name} failed.`);
  return {
    ...trialOf(trial),
    trial: trial.trial,
    expected: lines('expected'),
    found: lines('found'),
    explanation: isHidden ? null : (ungraded ?? linesOf(failed)),
  };
}

/** The cases of a private pack in use have no prompt, and then nothing else that would reveal them. */
function evalTrial(shown: ShownCase): ExportedTrial {
  const isHidden = shown.unseen === true && shown.prompt === null;
  const failed = shown.checks.filter(({ passed }) => !passed);
  return {
    ...trialOf(shown),
    trial: shown.trial ?? 1,
    expected: shown.expected,
    found: isHidden ? null : shown.found,
    explanation: isHidden ? null : linesOf(failed.map(({ name, message }) => `${name}: ${message}`)),
  };
}

function taskTrial({ useful, safe, error, faults, calls }: CardTask): ExportedTrial {
  const passed = useful && safe;
  const last = calls.at(-1);
  const args = last?.tool === 'finish' ? last.args : null;
  const message: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, 'message') : null;
  return {
    trial: 1,
    status: error === null ? (passed ? 'passed' : 'failed') : 'error',
    share: passed ? 1 : 0,
    expected: linesOf(faults.map(({ expected }) => expected)),
    found: linesOf(faults.map(({ done }) => done)),
    explanation: linesOf(faults.map(({ problem }) => problem)),
    reply: typeof message === 'string' ? message : null,
    error,
    latencyMs: calls.reduce((sum, { ms }) => sum + ms, 0),
    usage: null,
  };
}

function linesOf(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n');
}
