/** The cases on which two runs differ, page by page, each with the results of both: broken cases come first. */
import type { ShownTrial } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { RunComparison } from '#evals/own-suite/compare-runs.ts';
import type { AgentCtx } from '../../context.ts';
import type { Page, PageInput } from '../../paging.ts';
import type { ComparedRuns } from '../compare-runs.ts';
import { productOf } from '../products.ts';
import { pageInOrder, wordsIn } from './list-cases.ts';
import { readAsked, showStored } from './show-cases.ts';

/** In the order of the list. */
export const caseChanges = [
  'broken',
  'flaky_now',
  'still_failing',
  'fixed',
] as const satisfies (keyof RunComparison)[];

export type CaseChange = (typeof caseChanges)[number];

export interface ChangedCase {
  readonly case_id: string;
  readonly title: string | null;
  readonly change: CaseChange;
  /** Null for a hidden suite, or if the hub no longer has it. */
  readonly prompt: string | null;
  /** None if they were deleted at the end of their retention. */
  readonly before: readonly ShownTrial[];
  readonly after: readonly ShownTrial[];
}

export interface ListChangedCasesInput extends PageInput {
  readonly compared: ComparedRuns;
  readonly change?: CaseChange | undefined;
  readonly words?: string | undefined;
}

export async function listChangedCases(
  ctx: AgentCtx,
  { compared, change, words, limit, cursor }: ListChangedCasesInput,
): Promise<Page<ChangedCase>> {
  const { before, after, marks } = compared;
  const isOpen = await productOf(after).cases.mayRead(ctx, after);
  const sides = await Promise.all([readSide(ctx, before, marks[0]), readSide(ctx, after, marks[1])]);
  const hasWords = wordsIn(words, isOpen);
  const chosen = caseChanges
    .filter((one) => change === undefined || one === change)
    .flatMap((one) => compared[one].map((id) => ({ id, change: one })))
    .filter(({ id }) => hasWords(sides[1].cases.get(id)?.suiteCase ?? { id }));
  const page = pageInOrder('compared-cases', chosen, { limit, cursor });
  const ids = page.items.map(({ id }) => id);
  const [earlier, later] = await Promise.all([
    showCases(ctx, sides[0], ids, isOpen),
    showCases(ctx, sides[1], ids, isOpen),
  ]);
  return {
    items: page.items.map(({ id, change: is }) => ({
      case_id: id,
      title: later.get(id)?.title ?? null,
      change: is,
      prompt: later.get(id)?.prompt ?? null,
      before: earlier.get(id)?.trials ?? [],
      after: later.get(id)?.trials ?? [],
    })),
    nextCursor: page.nextCursor,
  };
}

async function readSide(ctx: AgentCtx, run: RunRow, marks: ComparedRuns['marks'][number]) {
  const { cases, indexesOf } = await readAsked(ctx, run, marks);
  const placed = cases.map((suiteCase, place) => [suiteCase.id, { suiteCase, place }] as const);
  return { run, cases: new Map(placed), indexesOf };
}

async function showCases(
  ctx: AgentCtx,
  { run, cases, indexesOf }: Awaited<ReturnType<typeof readSide>>,
  ids: readonly string[],
  isOpen: boolean,
) {
  const found = ids.flatMap((id) => cases.get(id) ?? []);
  const indexes = found.flatMap(({ place }) => indexesOf(place));
  const listed = found.map(({ suiteCase }) => suiteCase);
  const shown = await showStored(ctx, run, { cases: listed, indexes, isOpen });
  return new Map(shown.map((one) => [one.case_id, one]));
}
