/**
 * What a run asks: its items, how each is presented, and what is made of the replies. A product makes the plan of a
 * run; pulling, pushing, cancelling and ending work with any plan.
 */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { SuiteCase, SuiteDocument } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { RunEffort } from '#evals/run-figures.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { ConversationMessage, Scene, Step } from '#evals/worlds/world.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import type { Redact } from '../targets/redact-secrets.ts';
import type { Graders } from './grading/grade-reply.ts';

/** An item to ask: a trial of a case. */
export interface PlannedTrial {
  readonly index: number;
  readonly suiteCase: SuiteCase;
  /** Counted from 1. */
  readonly trial: number;
}

export type RecordedItem = Pick<StoredTrial, 'index' | 'score'>;

export interface AskedItem<Item extends PlannedTrial = PlannedTrial> {
  /** Whose turn its grading takes. */
  readonly claimant: Claimant;
  readonly item: Item;
  /** Of the whole conversation. */
  readonly steps: readonly Step[];
  readonly call: {
    readonly latencyMs: number;
    readonly attempts: number;
    readonly usage: TokenUsage | null;
    /** Why the target ended the last reply early, such as `length`. */
    readonly cut?: string | undefined;
  };
  /** Removes the secrets of the target from what is stored. It does not change the verdict. */
  readonly redact?: Redact;
}

/** The items planned so far, recorded or not, each at its index. A list is one; a large plan makes each when it is read. */
export interface PlannedItems<Item extends PlannedTrial = PlannedTrial> {
  readonly length: number;
  at(index: number): Item | undefined;
}

/** What came before the fault of an item. */
export interface Unanswered {
  /** 0 if it was never asked, or nobody knows. */
  readonly attempts: number;
  readonly usage?: TokenUsage | null;
  readonly steps?: readonly Step[];
}

/** With what it expects, where judges of the runner may be among it. */
export type ScoredCase = Pick<SuiteCase, 'id' | 'weight' | 'tags'> &
  Partial<Pick<SuiteCase, 'expect' | 'lost'>>;

export interface RunPlan<Item extends PlannedTrial = PlannedTrial> {
  readonly total: number;
  /** The number of items that are asked before the first verdicts move the rest. */
  readonly firstStage: number;
  /** Whether verdicts decide which items are planned. For other plans, nobody reads those of recorded items. */
  readonly isAdaptive: boolean;
  /** Of the longest prompt, roughly. */
  longestPromptBytes(): number;
  planned(recorded: readonly RecordedItem[]): PlannedItems<Item>;
  /** Unique in the hub, or at least in the run. */
  idOf(item: Item): string;
  /** @returns null for an id that does not belong to this run */
  indexOf(id: string): number | null;
  /**
   * What the agent is put into: its conversation goes on until the world is done. It may depend on the stored steps of
   * the items before it, which have then ended.
   */
  present(item: Item): Scene | Promise<Scene>;
  /** The messages with the bytes of their images; of suites that have some. */
  withImages?(
    messages: readonly ConversationMessage[],
  ): readonly ConversationMessage[] | Promise<readonly ConversationMessage[]>;
  /**
   * Called once the world is done.
   *
   * @returns what is stored of the item
   * @throws DomainError busy
   */
  grade(asked: AskedItem<Item>, graders: Graders): Promise<StoredTrial>;
  /** What is stored of an item without a reply. It is never graded: some graders accept an empty text. */
  inError(item: Item, code: string, unanswered: Unanswered): StoredTrial | Promise<StoredTrial>;
  /** What scoring needs of a stored item, so that the texts of a large run are never in memory together. */
  scored(stored: StoredTrial): StoredTrial;
  /** The cases, as far as stored items show them. */
  casesOf(stored: readonly StoredTrial[]): readonly ScoredCase[];
  /** What is wrong with the agent, as stored items show it; null if its suite says nothing of that. */
  findings(stored: readonly StoredTrial[]): readonly Finding[] | null | Promise<readonly Finding[] | null>;
  /** How many cases the import of the suite left out. */
  readonly leftOut?: number | undefined;
  /** What agents did in items with tools, of suites that compare it. */
  effort?(stored: readonly StoredTrial[]): RunEffort;
  /** Whether the agent of the run may read the cases. In suites of the hub, every agent may. */
  mayReadCases?(): Promise<boolean>;
}

/** Where the cases of a product come from. */
export interface CasesOfProduct {
  /** The version of the hub's own suite, of which runs have a board and can be replayed; null for published suites. */
  readonly version: string | null;
  /** @returns null if the hub no longer has what the run asks */
  plan(ctx: Pick<Ctx, 'db' | 'rules'>, run: RunRow): Promise<RunPlan | null>;
  readonly goneMessage: string;
  /**
   * The cases of a completed run.
   * @returns null if the hub no longer has them
   */
  asked(ctx: Pick<Ctx, 'db'>, run: RunRow, marks: StoredSuiteResult['marks']): Promise<AskedCases | null>;
  /** Of the cases of a completed run: two runs with the same one asked the same. */
  identities(ctx: Pick<Ctx, 'db'>, run: RunRow, result: StoredSuiteResult): Promise<readonly CaseIdentity[]>;
  /** Whether cases with the same id are alike whatever their content, so that two samples of them can be compared. */
  readonly isByKind?: true;
  /** The judges that the runner brings; absent for products without them, null if the hub no longer has the suite. */
  judging?(ctx: Pick<Ctx, 'db'>, run: RunRow): Promise<JudgedSuite | null>;
  /** Whether the agent may see prompts, and what graders expect and find. */
  mayRead(ctx: AgentCtx, run: RunRow): Promise<boolean>;
  /** What a run does not ask, or cannot see, in sentences. */
  unseenIn?(run: RunRow): readonly string[];
}

/** The judges of a run, and the cases as its agent was sent them. */
export interface JudgedSuite {
  readonly judges: NonNullable<SuiteDocument['judges']>;
  caseOf(id: string): SuiteCase | undefined;
  present(suiteCase: SuiteCase): Scene;
}

/** The cases of a run in their order, and where their trials are stored. */
export interface AskedCases {
  readonly cases: readonly SuiteCase[];
  /** The indexes of the trials of the case at a place. */
  readonly indexesOf: (place: number) => readonly number[];
  /** What all cases share. */
  readonly shared?: Pick<SuiteDocument, 'system' | 'tools'>;
}

/** The items to ask now. Empty once every item is recorded. */
export function openItems<Item extends PlannedTrial>(
  plan: Pick<RunPlan<Item>, 'planned'>,
  recorded: readonly RecordedItem[],
): readonly Item[] {
  const done = new Set(recorded.map(({ index }) => index));
  const planned = plan.planned(recorded);
  const open: Item[] = [];
  for (let index = 0; index < planned.length; index += 1) {
    const item = done.has(index) ? undefined : planned.at(index);
    if (item !== undefined) open.push(item);
  }
  return open;
}
