/** The cases of completed runs as exports have them: what the agent's own view shows, and nothing more. */
import type { ShownTrial } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedTrial } from '#evals/export/run-export.ts';
import type { StoredSuiteResult, TrialMarks } from '#evals/own-suite/stored-trial.ts';
import { statusesOf } from '#evals/own-suite/trial-marks.ts';
import { whyNoReply } from '#evals/stored-item.ts';
import type { AgentCtx } from '../../context.ts';
import { readAsked, readCases } from './show-cases.ts';

export async function* exportCases(
  ctx: AgentCtx,
  run: RunRow,
  marks: StoredSuiteResult['marks'],
): AsyncGenerator<ExportedItem> {
  const asked = await readAsked(ctx, run, marks);
  const cases = new Map(asked.cases.map((each) => [each.id, { ...asked.shared, ...each }]));
  for await (const { case_id: id, title, lost, tags, prompt, trials } of readCases(ctx, run, asked)) {
    const kept = run.itemsPrunedAt === null ? trials.map(exportedTrial) : prunedTrials(marks[id] ?? '');
    const isOpen = prompt !== null;
    const said = { ...(title === undefined ? {} : { title }), ...(lost === undefined ? {} : { lost }) };
    if (kept.length > 0)
      yield { id, ...said, tags, prompt, asked: isOpen ? (cases.get(id) ?? null) : null, trials: kept };
  }
}

/** What is known of the trials of a case after they were deleted. */
function prunedTrials(marks: TrialMarks): ExportedTrial[] {
  const unknown = {
    index: -1,
    reply: null,
    earlier: [],
    calls: [],
    error: null,
    explanation: null,
    latencyMs: null,
    usage: null,
    shortened: false,
    expected: null,
    found: null,
    judgedBy: null,
    review: null,
  };
  return statusesOf(marks).map((status, at) => {
    return { ...unknown, trial: at + 1, status, share: status === 'passed' ? 1 : 0 };
  });
}

function exportedTrial({ graders, ungraded, ...trial }: ShownTrial): ExportedTrial {
  // Of a reply that did not pass, those that say why.
  const told = trial.status === 'failed' ? graders.filter(({ passed }) => passed === false) : graders;
  const lines = (field: 'expected' | 'found') =>
    linesOf(told.flatMap(({ name, [field]: text }) => (text === null ? [] : [`${name}: ${text}`])));
  const isHidden = graders.some(({ expected }) => expected === null);
  const failed = graders.filter(({ passed }) => passed === false).map(({ name }) => `${name} failed.`);
  const explanation = isHidden ? null : (ungraded ?? linesOf(failed));
  return {
    index: trial.index,
    trial: trial.trial,
    status: trial.status,
    share: trial.score,
    reply: trial.response_text,
    earlier: trial.earlier ?? [],
    calls: trial.tool_calls ?? [],
    error: trial.error_code,
    explanation: trial.status === 'error' ? whyNoReply(trial) : explanation,
    latencyMs: trial.latency_ms,
    usage: trial.usage ?? null,
    shortened: trial.shortened === true,
    expected: lines('expected'),
    found: lines('found'),
    judgedBy: judgedText(trial),
    review: reviewText(trial),
  };
}

function judgedText({ judged = [] }: Pick<ShownTrial, 'judged'>): string | null {
  const names = judged.map(({ judge, model }) => `${judge} (${model ?? 'a program'})`);
  return names.length === 0 ? null : [...new Set(names)].join(', ');
}

function reviewText({ review }: Pick<ShownTrial, 'review'>): string | null {
  if (review === undefined) return null;
  const { passed, was, by, reason } = review;
  const now = passed ? 'passed' : 'failed';
  return `${now === was ? 'confirmed' : `${was}, overruled to ${now}`} by @${by}: ${reason}`;
}

function linesOf(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n');
}
