/** The cases of a run, as its agent sees them. What would give away a hidden suite is null. */
import type { ShownSuiteCase, ShownTrial } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { shownPromptCharacters } from '#evals/stored-item.ts';
import type { SuiteCase } from '#evals/own-suite/document.ts';
import { describeImage } from '#evals/own-suite/images.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { Step } from '#evals/worlds/world.ts';
import type { AgentCtx, Ctx } from '../../context.ts';
import { productOf } from '../products.ts';
import type { AskedCases } from '../run-plan.ts';
import { listCaseIds, listItems } from '../store-items.ts';

/** What the agent may see of stored trials. */
export async function showTrials(
  ctx: AgentCtx,
  run: RunRow,
  items: readonly StoredTrial[],
): Promise<ShownTrial[]> {
  return shown(items, await productOf(run).cases.mayRead(ctx, run));
}

function shown(trials: readonly StoredTrial[], isOpen: boolean): ShownTrial[] {
  return trials.map((stored) => {
    const { exhausted: _exhausted, steps, task: _task, judging: _judging, earlier, ...rest } = stored;
    const { begun: _begun, brief: _brief, ...trial } = rest;
    const calls = steps === undefined ? {} : { tool_calls: steps.flatMap(callsOf) };
    const turns = earlier === undefined ? {} : { earlier: earlier.map(({ text }) => text) };
    const whole: ShownTrial = { ...calls, ...turns, ...trial };
    return isOpen ? whole : withoutAnswers(whole);
  });
}

function callsOf({ calls }: Step): NonNullable<StoredTrial['tool_calls']> {
  return calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
}

function withoutAnswers(whole: ShownTrial): ShownTrial {
  // They would tell how a reply passes.
  const { undone: _undone, judged: _judged, graders, ungraded, ...trial } = whole;
  return {
    ...trial,
    graders: graders.map((grader) => ({ ...grader, expected: null, found: null })),
    ...(ungraded === undefined ? {} : { ungraded: null }),
  };
}

/** Replies that are in memory together. A stored one has up to 8,000 characters, and its graders add to it. */
const repliesAtOnce = 500;

/** The cases of a completed run. Of those that the hub no longer has, what is stored of their trials. */
export async function readAsked(
  ctx: Ctx,
  run: RunRow,
  marks: StoredSuiteResult['marks'],
): Promise<AskedCases> {
  const asked = await productOf(run).cases.asked(ctx, run, marks);
  if (asked !== null) return asked;
  const byId = Map.groupBy(await listCaseIds(ctx, run.id), ({ id }) => id);
  const ids = [...new Set([...byId.keys(), ...Object.keys(marks)])];
  return {
    cases: ids.map((id) => ({ id, expect: [] })),
    indexesOf: (place) => byId.get(ids[place] ?? '')?.map(({ index }) => index) ?? [],
  };
}

/** The cases of a completed run part by part, in their order: a run may have 16,000 replies. */
export async function* readCases(
  ctx: AgentCtx,
  run: RunRow,
  { cases, indexesOf }: AskedCases,
): AsyncGenerator<ShownSuiteCase> {
  const isOpen = await productOf(run).cases.mayRead(ctx, run);
  const casesAtOnce = Math.max(1, Math.floor(repliesAtOnce / run.trials));
  for (let first = 0; first < cases.length; first += casesAtOnce) {
    const part = cases.slice(first, first + casesAtOnce);
    const indexes = part.flatMap((_, at) => indexesOf(first + at));
    yield* await showStored(ctx, run, { cases: part, indexes, isOpen });
  }
}

interface StoredCases {
  readonly cases: readonly SuiteCase[];
  /** Of their trials. */
  readonly indexes: readonly number[];
  /** Whether to show prompts, and what graders expected and found. */
  readonly isOpen: boolean;
}

/** Cases with their stored trials. */
export async function showStored(
  ctx: Ctx,
  { id: runId }: RunRow,
  { cases, indexes, isOpen }: StoredCases,
): Promise<ShownSuiteCase[]> {
  const items = indexes.length === 0 ? [] : await listItems(ctx, runId, indexes);
  const byCase = Map.groupBy(shown(items, isOpen), ({ case_id: id }) => id);
  return cases.map((suiteCase) => showCase(suiteCase, byCase.get(suiteCase.id) ?? [], isOpen));
}

function showCase(
  { id, title, lost, tags = [], weight = 1, ...said }: SuiteCase,
  trials: readonly ShownTrial[],
  isOpen: boolean,
): ShownSuiteCase {
  const passed = trials.filter(({ status }) => status === 'passed');
  return {
    case_id: id,
    ...(isOpen && title !== undefined ? { title } : {}),
    ...(isOpen && lost !== undefined ? { lost } : {}),
    tags,
    weight,
    prompt: isOpen ? promptOf(said).slice(0, shownPromptCharacters).toWellFormed() || null : null,
    pass_rate: trials.length === 0 ? null : passed.length / trials.length,
    trials: trials.toSorted((a, b) => a.trial - b.trial),
  };
}

/** The last message, or all turns of the user. */
export function promptOf({
  prompt,
  messages,
  turns,
}: Pick<SuiteCase, 'prompt' | 'messages' | 'turns'>): string {
  const last = messages?.at(-1);
  const images = last?.images?.map((image) => `\n[${describeImage(image)}]`) ?? [];
  return prompt ?? turns?.join('\n\n') ?? [last?.content ?? '', ...images].join('');
}
