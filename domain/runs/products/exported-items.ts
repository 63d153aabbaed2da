/** The items of completed runs as exports have them: what the agent's own view shows, and nothing more. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedTrial } from '#evals/export/run-export.ts';
import type { CardTask } from '#evals/week/scorecard/make-card.ts';
import type { ShownTrial } from '#evals/own-suite/stored-trial.ts';
import { type StoredItem, whyNoReply } from '#evals/stored-item.ts';
import type { ShownCase } from '#evals/suite/scorecard/model.ts';
import { caseOfTrial } from '#evals/suite/trials.ts';
import { readAgentRunCard } from './agent-run/read-card.ts';
import { placeInWeek } from './agent-run/weeks.ts';
import type { AgentCtx } from '../../context.ts';
import { describeCases, listCases } from './eval-run/describe-cases.ts';
import { readSuiteCases } from './suite-run/show-cases.ts';

export async function* exportSuiteCases(ctx: AgentCtx, run: RunRow): AsyncGenerator<ExportedItem> {
  for await (const { case_id: id, tags, prompt, trials } of readSuiteCases(ctx, run)) {
    if (trials.length > 0) yield { id, tags, prompt, trials: trials.map(suiteTrial) };
  }
}

export async function* exportEvalCases(ctx: AgentCtx, run: RunRow): AsyncGenerator<ExportedItem> {
  const cases = await describeCases(run, await listCases(ctx, run.id));
  for (const trials of Map.groupBy(cases, ({ index }) => caseOfTrial(index, run.repeat)).values()) {
    const [first] = trials;
    if (first === undefined) continue;
    const tags = [first.category, first.kind, `level-${first.level}`];
    yield { id: first.id, tags, prompt: first.prompt, trials: trials.map(evalTrial) };
  }
}

/** The trials of a task are those of its weeks. */
export async function* exportTasks(ctx: AgentCtx, run: RunRow): AsyncGenerator<ExportedItem> {
  const read = await readAgentRunCard(ctx, run);
  for (const [place, trials] of Map.groupBy(read?.card.tasks ?? [], ({ n }) => placeInWeek(run, n))) {
    yield {
      id: `task-${place + 1}`,
      tags: trials.slice(0, 1).flatMap(({ family, level }) => [family ?? 'not-reached', `level-${level}`]),
      prompt: null,
      trials: trials.map(taskTrial),
    };
  }
}

function trialOf(item: Omit<StoredItem, 'index'>) {
  return {
    status: item.status,
    share: item.score,
    reply: item.response_text,
    error: item.error_code,
    explanation: item.status === 'error' ? whyNoReply(item) : null,
    latencyMs: item.latency_ms,
    usage: item.usage ?? null,
  };
}

function suiteTrial({ graders, ungraded, ...trial }: ShownTrial): ExportedTrial {
  // Of a reply that did not pass, those that say why.
  const told = trial.status === 'failed' ? graders.filter(({ passed }) => !passed) : graders;
  const lines = (field: 'expected' | 'found') =>
    linesOf(told.flatMap(({ name, [field]: text }) => (text === null ? [] : [`${name}: ${text}`])));
  const isHidden = graders.some(({ expected }) => expected === null);
  const failed = graders.filter(({ passed }) => !passed).map(({ name }) => `${name} failed.`);
  return {
    ...trialOf(trial),
    trial: trial.trial,
    expected: lines('expected'),
    found: lines('found'),
    ...(trial.status === 'error' ? {} : { explanation: isHidden ? null : (ungraded ?? linesOf(failed)) }),
  };
}

function evalTrial(shown: ShownCase): ExportedTrial {
  const failed = shown.checks.filter(({ passed }) => !passed);
  return {
    ...trialOf(shown),
    trial: shown.trial ?? 1,
    expected: shown.expected,
    found: shown.found,
    ...(shown.status === 'error'
      ? {}
      : { explanation: linesOf(failed.map(({ name, message }) => `${name}: ${message}`)) }),
  };
}

function taskTrial({
  trial,
  passed,
  partial,
  error,
  error_response: response,
  missed,
  calls,
}: CardTask): ExportedTrial {
  const last = calls.at(-1);
  const args = last?.tool === 'task_finish' ? last.args : null;
  const message: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, 'message') : null;
  return {
    trial,
    status: error === null ? (passed ? 'passed' : 'failed') : 'error',
    share: passed ? 1 : partial,
    expected: linesOf(missed.map(({ what }) => what)),
    found: linesOf(missed.map(({ done }) => done)),
    explanation:
      error === null
        ? linesOf(missed.flatMap(({ sources }) => (sources.length === 0 ? [] : [sources.join('; ')])))
        : whyNoReply({ error_code: error, ...(response === null ? {} : { error_response: response }) }),
    reply: typeof message === 'string' ? message : null,
    error,
    latencyMs: calls.reduce((sum, { ms }) => sum + ms, 0),
    usage: null,
  };
}

function linesOf(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n');
}
