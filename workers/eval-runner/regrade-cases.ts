/** Grades the stored replies of another run, where a run of its own would call its target. */
import { type StoredItem, storedReplyCharacters } from '#evals/stored-item.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { openItems, type PlannedItem, type RunPlan } from '#domain/runs/run-plan.ts';
import { listItems } from '#domain/runs/store-items.ts';
import type { CaseRun, CaseRunInput } from './run-cases.ts';

export interface RegradeInput extends Pick<
  CaseRunInput,
  'claimant' | 'graders' | 'recordCase' | 'ending' | 'runId' | 'attempt' | 'plan' | 'recorded' | 'stop'
> {
  readonly ctx: Ctx;
  readonly source: { readonly runId: string; readonly plan: RunPlan };
}

/** A stored reply and its verdicts may take 100 kB. */
const atOnce = 8;
const busyPauseMs = 1_000;
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
      part.map(async (item): Promise<'fenced' | StoredItem | null> => {
        const index = source.plan.indexOf(plan.idOf(item));
        // The plans of published suites store these.
        const trial = byIndex.get(index ?? -1) as StoredTrial | undefined;
        const result = await regrade(input, item, trial);
        if (result === null) return null;
        const stored = await recordCase.ask({ runId, attempt, result, isBegun: false, delayedMs: 0 });
        return stored ? plan.scored(result) : 'fenced';
      }),
    );
    if (done.includes('fenced')) return { end: 'fenced' };
    results.push(...done.filter((one): one is StoredItem => one !== null && one !== 'fenced'));
  }
  return { end: results.length === plan.total ? 'all_done' : 'stopped', results };
}

/** @returns null if the signal fires first */
async function regrade(
  { plan, claimant, graders, stop }: RegradeInput,
  item: PlannedItem,
  trial: StoredTrial | undefined,
): Promise<StoredItem | null> {
  const { attempts = 0, usage = null, error_code: code = null } = trial ?? {};
  const inError = await plan.inError(item, code ?? 'no_reply', { attempts, usage, steps: [] });
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
  while (!stop.aborted) {
    try {
      return await plan.grade({ claimant, item, steps, call }, graders);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'busy')) throw error;
      await Bun.sleep(busyPauseMs);
    }
  }
  return null;
}

function withoutVerdict(inError: StoredItem, ungraded: string): StoredItem {
  const trial: StoredItem & Pick<StoredTrial, 'ungraded'> = {
    ...inError,
    status: 'ungraded',
    error_code: null,
    ungraded,
  };
  return trial;
}
