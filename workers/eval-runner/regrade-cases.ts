/** Grades the stored replies of another run, where a run of its own would call its target. */
import { hasReply } from '#evals/stored-item.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { type Step, stepsOfReplies } from '#evals/worlds/world.ts';
import type { Ctx } from '#domain/context.ts';
import { keepVerdicts } from '#domain/runs/judging/apply-verdict.ts';
import { type JudgedSuite, openItems, type PlannedTrial, type RunPlan } from '#domain/runs/run-plan.ts';
import { listItems } from '#domain/runs/store-items.ts';
import { type CaseRun, type CaseRunInput, gradeWhenFree } from './run-cases.ts';

export interface RegradeInput extends Pick<
  CaseRunInput,
  'claimant' | 'graders' | 'recordCase' | 'ending' | 'runId' | 'attempt' | 'plan' | 'recorded' | 'stop'
> {
  readonly ctx: Ctx;
  readonly source: RegradedSource;
}

/** The run whose replies are graded again. */
export interface RegradedSource {
  readonly runId: string;
  readonly plan: RunPlan;
  /** Those of its suite, and of the version that grades now. */
  readonly judges: Record<'before' | 'now', JudgedSuite['judges']>;
}

/** A stored reply and its verdicts may take 100 kB. */
const atOnce = 8;
const notKept = 'There is no stored reply.';
const onlyBeginning = 'Only the beginning of the reply is kept.';

export async function regradeCases(input: RegradeInput): Promise<CaseRun> {
  const { ctx, plan, source, recorded, runId, attempt, recordCase, ending, stop } = input;
  const results = [...recorded];
  const open = openItems(plan, recorded);
  for (let first = 0; first < open.length; first += atOnce) {
    if (stop.aborted || ending.aborted) return { end: 'stopped', results };
    const part = open.slice(first, first + atOnce);
    const indexes = part.map((item) => source.plan.indexOf(plan.idOf(item)) ?? -1);
    const kept = await listItems(ctx, source.runId, indexes);
    const byIndex = new Map(kept.map((one) => [one.index, one]));
    const done = await Promise.all(
      part.map(async (item, at): Promise<'fenced' | StoredTrial | null> => {
        const result = await regrade(input, item, byIndex.get(indexes[at] ?? -1));
        if (result === null) return null;
        const progress = { result, isBegun: false };
        const stored = await recordCase.ask({ runId, attempt, progress, delayedMs: 0, calls: 0 });
        return stored ? plan.scored(result) : 'fenced';
      }),
    );
    if (done.includes('fenced')) return { end: 'fenced' };
    results.push(...done.filter((one): one is StoredTrial => one !== null && one !== 'fenced'));
  }
  return { end: results.length === plan.total ? 'all_done' : 'stopped', results };
}

/** @returns null if the signal fires first */
async function regrade(
  input: RegradeInput,
  item: PlannedTrial,
  trial: StoredTrial | undefined,
): Promise<StoredTrial | null> {
  const { attempts = 0, usage = null, error_code: code = null } = trial ?? {};
  const inError = await input.plan.inError(item, code ?? 'no_reply', { attempts, usage, steps: [] });
  if (trial === undefined) return withoutVerdict(inError, notKept);
  if (!hasReply(trial)) {
    const { error_message: message, error_response: response } = trial;
    const why = { ...(message && { error_message: message }), ...(response && { error_response: response }) };
    return { ...inError, ...why };
  }
  const { response_text: text, latency_ms: latencyMs } = trial;
  if (text === null) return withoutVerdict(inError, notKept);
  if (trial.shortened === true) {
    // So that grading it once more finds the same.
    const { tool_calls: calls, earlier } = trial;
    const stored = { response_text: text, ...(calls && { tool_calls: calls }), ...(earlier && { earlier }) };
    return { ...withoutVerdict(inError, onlyBeginning), ...stored, shortened: true };
  }
  const { world } = await input.plan.present(item);
  const steps = stepsOfReplies(world, repliesIn(trial, text));
  const call = { latencyMs: latencyMs ?? 0, attempts, usage };
  const graded = await gradeWhenFree(input, { item, steps, call });
  return graded === null ? null : keepVerdicts(graded, trial, item.suiteCase, input.source.judges);
}

/** To each message of the user. */
function repliesIn({ earlier = [], tool_calls: calls = [] }: StoredTrial, text: string): readonly Step[] {
  const before = earlier.reduce((sum, one) => sum + one.tool_calls.length, 0);
  return [...earlier, { text, tool_calls: calls.slice(before) }].map((one) => ({
    text: one.text,
    calls: one.tool_calls.map((each, place) => ({ id: `call-${place + 1}`, ...each })),
  }));
}

function withoutVerdict(inError: StoredTrial, ungraded: string): StoredTrial {
  return { ...inError, status: 'ungraded', error_code: null, ungraded };
}
