/** A run of cases as anybody with its link sees it. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../../context.ts';
import type { Page, PageInput } from '../../paging.ts';
import { productOf } from '../products.ts';
import { unseenOf } from '../show-run.ts';
import { readResult } from './read-results.ts';
import { type ListedCase, listCases } from './list-cases.ts';
import { withoutExplanations } from './trials.ts';

export interface SharedCases {
  readonly run: RunRow;
  readonly result: StoredSuiteResult;
  readonly unseen: readonly string[];
  readonly cases: Page<ListedCase>;
}

interface ShareCasesInput extends PageInput {
  /** If false, prompts and replies are left out, and graders keep only their names. */
  readonly withTexts: boolean;
}

export async function shareCases(
  ctx: AgentCtx,
  run: RunRow,
  { withTexts, ...page }: ShareCasesInput,
): Promise<SharedCases | null> {
  const result = await readResult(ctx, run.id);
  if (result === undefined) return null;
  const isOpen = withTexts && (await productOf(run).cases.mayRead(ctx, run));
  const { items, nextCursor } = await listCases(ctx, { run, result, isOpen, filter: {}, ...page });
  return {
    run,
    result: withTexts ? result : withoutQuotes(result),
    unseen: unseenOf(run, result),
    cases: { items: withTexts ? items : items.map(withoutTexts), nextCursor },
  };
}

function withoutTexts({ trials, title: _title, lost: _lost, ...one }: ListedCase): ListedCase {
  return {
    ...one,
    prompt: null,
    trials: trials.map(
      ({
        error_response: _response,
        error_message: _message,
        tool_calls: _calls,
        earlier: _earlier,
        judged,
        review,
        ...trial
      }) => ({
        ...trial,
        ...(judged === undefined ? {} : { judged: judged.map(withoutExplanations) }),
        ...(review === undefined ? {} : { review: { ...review, reason: '' } }),
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
