/** The tasks of completed agent runs as exports have them: what the agent's own view shows, and nothing more. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedTrial } from '#evals/export/run-export.ts';
import type { CardTask } from '#evals/week/scorecard/make-card.ts';
import { whyNoReply } from '#evals/stored-item.ts';
import type { AgentCtx } from '../../../context.ts';
import { readAgentRunCard } from './read-card.ts';
import { placeInWeek } from './weeks.ts';

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
