/** The cases of a run of a suite, as its agent sees them. What would give away a hidden suite is null. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { ShownSuiteCase, ShownTrial, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { shownPromptCharacters } from '#evals/limits.ts';
import type { AgentCtx } from '../../../context.ts';
import { mayReadCasesOf } from '../../../suites/find-suite.ts';
import { listItems } from '../../store-items.ts';
import { findCases } from './plan-suite.ts';

/** What the agent may see of stored trials. */
export async function showTrials(
  ctx: AgentCtx,
  run: RunRow,
  items: readonly StoredItem[],
): Promise<ShownTrial[]> {
  return shown(items, await mayRead(ctx, run));
}

export async function mayRead(ctx: AgentCtx, { suiteId }: RunRow): Promise<boolean> {
  return suiteId !== null && (await mayReadCasesOf(ctx, suiteId, ctx.agent));
}

function shown(items: readonly StoredItem[], isOpen: boolean): ShownTrial[] {
  // The plan of a suite run stores these.
  const trials = items as readonly StoredTrial[];
  return trials.map(({ exhausted: _exhausted, ...trial }) => (isOpen ? trial : withoutAnswers(trial)));
}

function withoutAnswers({ graders, ungraded, ...trial }: Omit<StoredTrial, 'exhausted'>): ShownTrial {
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
  const cases = (await findCases(ctx, run))?.cases ?? [];
  return showCases(cases, items, await mayRead(ctx, run));
}

/** Replies that are in memory together. A stored one has up to 4,000 characters, and its graders add to it. */
const repliesAtOnce = 500;

/** The same part by part: a run may have 16,000 replies. */
export async function* readSuiteCases(ctx: AgentCtx, run: RunRow): AsyncGenerator<ShownSuiteCase> {
  const cases = (await findCases(ctx, run))?.cases ?? [];
  const isOpen = await mayRead(ctx, run);
  const casesAtOnce = Math.max(1, Math.floor(repliesAtOnce / run.trials));
  const trials = Array.from({ length: run.trials }, (_, trial) => trial * cases.length);
  for (let first = 0; first < cases.length; first += casesAtOnce) {
    const part = cases.slice(first, first + casesAtOnce);
    const indexes = part.flatMap((_, at) => trials.map((offset) => offset + first + at));
    yield* showCases(part, await listItems(ctx, run.id, indexes), isOpen);
  }
}

/** @param isOpen whether to show prompts, and what graders expected and found */
export function showCases(
  cases: readonly SuiteCase[],
  items: readonly StoredItem[],
  isOpen: boolean,
): ShownSuiteCase[] {
  const byCase = Map.groupBy(shown(items, isOpen), ({ case_id: id }) => id);
  return cases.map((suiteCase) => showCase(suiteCase, byCase.get(suiteCase.id) ?? [], isOpen));
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
