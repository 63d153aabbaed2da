/** Grades the stored replies of another run, where a run of its own would call its target. */
import { storedReplyCharacters } from '#evals/stored-item.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { Ctx } from '#domain/context.ts';
import { openItems, type PlannedTrial, type RunPlan } from '#domain/runs/run-plan.ts';
import { listItems } from '#domain/runs/store-items.ts';
import { type CaseRun, type CaseRunInput, gradeWhenFree } from './run-cases.ts';

export interface RegradeInput extends Pick<
  CaseRunInput,
  'claimant' | 'graders' | 'recordCase' | 'ending' | 'runId' | 'attempt' | 'plan' | 'recorded' | 'stop'
> {
  readonly ctx: Ctx;
  readonly source: { readonly runId: string; readonly plan: RunPlan };
}

/** A stored reply and its verdicts may take 100 kB. */
const atOnce = 8;
const notKept = 'There is no stored reply.';
const onlyBeginning = `Only the first ${storedReplyCharacters} characters of the reply are kept.`;

export async function regradeCases(input: RegradeInput): Promise<CaseRun> {
  const { ctx, plan, source, recorded, runId, attempt, recordCase, ending, stop } = input;
  const results = [...recorded];
  const open = openItems(plan, recorded);
  for (let first = 0; first < open.length; first += atOnce) {
    if (stop.aborted || ending.aborted) return { end: 'stopped', results };
    const part = open.slice(first, first + atOnce);
    const indexes = part.flatMap((item) => source.plan.indexOf(plan.idOf(item)) ?? []);
    const kept = await listItems(ctx, source.runId, indexes);
    const byIndex = new Map(kept.map((one) => [one.index, one]));
    const done = await Promise.all(
      part.map(async (item): Promise<'fenced' | StoredTrial | null> => {
        const index = source.plan.indexOf(plan.idOf(item));
        const trial = byIndex.get(index ?? -1);
        const result = await regrade(input, item, trial);
        if (result === null) return null;
        const stored = await recordCase.ask({
          runId,
          attempt,
          progress: { result, isBegun: false },
          delayedMs: 0,
        });
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
  const text = trial?.response_text ?? null;
  if (trial?.status === 'error') {
    const { error_message: message, error_response: response } = trial;
    const why = { ...(message && { error_message: message }), ...(response && { error_response: response }) };
    return { ...inError, ...why };
  }
  if (trial === undefined || text === null) return withoutVerdict(inError, notKept);
  const { latency_ms: latencyMs, tool_calls: calls = [] } = trial;
  const isCut =
    text.length >= storedReplyCharacters || calls.some((one) => typeof one.arguments === 'string');
  if (isCut) return { ...withoutVerdict(inError, onlyBeginning), response_text: text };
  const call = { latencyMs: latencyMs ?? 0, attempts, usage };
  const steps = [{ text, calls: calls.map((one, place) => ({ id: `call-${place + 1}`, ...one })) }];
  return gradeWhenFree(input, { item, steps, call });
}

function withoutVerdict(inError: StoredTrial, ungraded: string): StoredTrial {
  return { ...inError, status: 'ungraded', error_code: null, ungraded };
}
