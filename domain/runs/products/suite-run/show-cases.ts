/** The cases of a run of a suite, as its agent sees them. What would give away a hidden suite is null. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { ShownSuiteCase, ShownTrial, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { shownPromptCharacters } from '#evals/suite/limits.ts';
import type { AgentCtx } from '../../../context.ts';
import { mayReadCasesOf } from '../../../suites/find-suite.ts';
import { planSuite } from './plan-suite.ts';

/** What the agent may see of stored trials. */
export async function showTrials(
  ctx: AgentCtx,
  run: RunRow,
  items: readonly StoredItem[],
): Promise<ShownTrial[]> {
  return shown(items, await mayRead(ctx, run));
}

async function mayRead(ctx: AgentCtx, { suiteId }: RunRow): Promise<boolean> {
  return suiteId !== null && (await mayReadCasesOf(ctx, suiteId, ctx.agent));
}

function shown(items: readonly StoredItem[], isOpen: boolean): ShownTrial[] {
  // The plan of a suite run stores these.
  const trials = items as readonly StoredTrial[];
  return isOpen ? [...trials] : trials.map(withoutAnswers);
}

function withoutAnswers({ graders, ungraded, ...trial }: StoredTrial): ShownTrial {
  return {
    ...trial,
    graders: graders.map((grader) => ({ ...grader, expected: null, found: null })),
    ...(ungraded === undefined ? {} : { ungraded: null }),
  };
}

/** In the order of the document. Empty once the owner has erased the suite. */
export async function showSuiteCases(
  ctx: AgentCtx,
  run: RunRow,
  items: readonly StoredItem[],
): Promise<ShownSuiteCase[]> {
  const isOpen = await mayRead(ctx, run);
  const byCase = Map.groupBy(shown(items, isOpen), ({ case_id: id }) => id);
  const plan = await planSuite(ctx, run);
  const cases = plan?.planned([]).slice(0, run.runSize / run.trials) ?? [];
  return cases.map(({ suiteCase }) => showCase(suiteCase, byCase.get(suiteCase.id) ?? [], isOpen));
}

function showCase(
  { id, tags = [], weight = 1, prompt, messages }: SuiteCase,
  trials: readonly ShownTrial[],
  isOpen: boolean,
): ShownSuiteCase {
  const graded = trials.filter(({ status }) => status !== 'ungraded');
  const passed = graded.filter(({ status }) => status === 'passed');
  const asked = prompt ?? messages?.at(-1)?.content ?? '';
  return {
    case_id: id,
    tags,
    weight,
    prompt: isOpen ? asked.slice(0, shownPromptCharacters).toWellFormed() : null,
    pass_rate: graded.length === 0 ? null : passed.length / graded.length,
    trials: trials.toSorted((a, b) => a.trial - b.trial),
  };
}
