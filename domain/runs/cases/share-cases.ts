/** A run of cases as anybody with its link sees it. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Finding } from '#evals/findings/observation.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../../context.ts';
import type { SharedScorecard } from '../product.ts';
import type { CasesOfProduct } from '../run-plan.ts';
import { readSuiteResults } from './read-results.ts';
import { type ListedCase, listCases } from './list-cases.ts';

/** More than a run of the hub's own cases has. */
const casesMax = 1_000;

/** @param withTexts false for no prompts and replies; then graders keep only their names */
export async function shareCases(
  ctx: AgentCtx,
  source: CasesOfProduct,
  run: RunRow,
  withTexts: boolean,
): Promise<SharedScorecard | null> {
  const result = (await readSuiteResults(ctx, [run.id])).get(run.id);
  if (result === undefined) return null;
  const asked = { source, run, result, isOpen: withTexts, filter: {}, limit: casesMax, cursor: null };
  const { items } = await listCases(ctx, asked);
  return {
    kind: 'cases',
    run,
    result: withTexts ? result : withoutQuotes(result),
    unseen: source.unseenIn?.(run) ?? [],
    cases: withTexts ? items : items.map(withoutTexts),
  };
}

function withoutTexts({ trials, ...one }: ListedCase): ListedCase {
  return {
    ...one,
    prompt: null,
    trials: trials.map(
      ({ error_response: _response, error_message: _message, tool_calls: _calls, ...trial }) => ({
        ...trial,
        response_text: null,
      }),
    ),
  };
}

/** Findings quote prompts and replies. */
function withoutQuotes(result: StoredSuiteResult): StoredSuiteResult {
  const findings = result.findings?.map(({ change: _change, sentence, ...finding }): Finding => ({
    ...finding,
    sentence: sentence.replaceAll(/".*"/gs, '"…"'),
  }));
  return findings === undefined ? result : { ...result, findings };
}
