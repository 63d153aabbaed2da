/** What a product is. Each one is a file in `products/` and a line in the registry, `products.ts`. */
import type { ChosenPlaces, RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import type { ExportedItem } from '#evals/export/run-export.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import type { OperationName } from '../operation.ts';
import type { FreeRunField } from '../tokens/ledger-rows.ts';
import type { OrderField, RedemptionInput } from './redemption-input.ts';
import type { RunOutcome } from './run-outcome.ts';
import type { ListedCase } from './cases/list-cases.ts';
import type { CasesOfProduct, EarlyEnd } from './run-plan.ts';
import type { ItemsOrdered, Sampling } from './sampling.ts';

/** A validated order. */
export type RunOrder = ProductOrder & Sampling;

export interface ProductOrder {
  readonly product: string;
  /** Null in pull mode, with `target` and the headers. */
  readonly targetUrl: string | null;
  readonly target: TargetSettings | null;
  /** Encrypted. */
  readonly targetHeaders: string | null;
  /** The number of items. */
  readonly runSize: number;
  readonly maxPromptTokens: number | null;
  readonly ranked: boolean;
  /** The suite, if the order names one; the product's own otherwise. */
  readonly suite?: {
    readonly id: string;
    readonly versionId: string;
    readonly name: string;
    readonly version: string;
  };
  readonly trials?: number;
  /** Null for all cases of the suite. */
  readonly only?: ChosenPlaces | null;
  readonly shareReplies?: boolean;
  readonly label?: string | null;
  /** In tokens, unless this is the free first run. 0 if the operator charges nothing. */
  readonly cost: number;
}

export interface Product {
  readonly name: string;
  /** The field of an account with the redemption that used the free run of this product. */
  readonly freeRunField: FreeRunField;
  /** The setting for its price, which operators may set to 0. */
  readonly priceSetting: string;
  /** Of runs whose order names no suite; null if every order names one. */
  readonly suite: { readonly name: string; readonly version: string } | null;
  /** All versions whose runs can be read, the current one last. */
  readonly suiteVersions: readonly string[];
  /** The fields of an order that only some products take. */
  readonly fields: readonly OrderField[];
  /** @throws DomainError for a field that this product does not accept */
  order(ctx: AgentCtx, input: RedemptionInput, items?: ItemsOrdered): ProductOrder | Promise<ProductOrder>;
  /** @returns why a first run with this order is not free, as the end of a sentence; null if it may be free */
  whyNotFree(order: RunOrder): string | null;
  /** From the redemption to the end of a run that nobody has begun; null if it waits for a worker. */
  readonly unbegunMs: Readonly<Record<RunRow['mode'], number | null>>;
  /** How its cases are planned, presented, graded and scored; null if its agents work on tasks with tools instead. */
  readonly cases: CasesOfProduct | null;
  /** The levels that a replay of an ended run keeps; absent for products without levels. */
  levelsOf?(run: RunRow): readonly number[];
  /** How an open, locked run ends before its last item. */
  endEarly(ctx: TransactionCtx, run: RunRow, why: EarlyEnd): Promise<RunOutcome>;
  /** What a completed run brings into a comparison. */
  compared(ctx: AgentCtx, run: RunRow): Promise<ComparedTrials>;
  /** How completed runs are shared with anybody who has the link; null if they are not. */
  readonly sharing: RunSharing | null;
  /** The items of a completed run for exports, as its agent's own view shows them; those of a large run part by part. */
  exported(ctx: AgentCtx, run: RunRow): AsyncIterable<ExportedItem>;
  readonly describe: ProductWords;
}

export interface RunSharing {
  /** @param withTexts whether the agent shares prompts, replies and calls as well */
  scorecard(ctx: AgentCtx, run: RunRow, withTexts: boolean): Promise<SharedScorecard | null>;
}

export type SharedScorecard =
  | { readonly kind: 'tasks'; readonly model: ScorecardModel }
  | {
      readonly kind: 'cases';
      readonly run: RunRow;
      readonly result: StoredSuiteResult;
      readonly unseen: readonly string[];
      readonly cases: readonly ListedCase[];
    };

/** One side of a comparison. */
export interface ComparedTrials {
  /** Of the cases of the run: two runs with the same one asked the same. */
  readonly identities: readonly CaseIdentity[];
  readonly marks: StoredSuiteResult['marks'];
  /** Whether cases with the same id are alike whatever their content, so that two samples of them can be compared. */
  readonly isByKind?: true;
}

/** The product in texts, errors and notices. */
export interface ProductWords {
  /** Begins the reasons of ledger entries, such as `Eval run`. */
  readonly title: string;
  /** A run of the product in a sentence, without its article. */
  readonly noun: string;
  /** The path of a run's page on the site, before its id. */
  readonly page: string;
  /** What an agent fetches in pull mode. */
  readonly items: 'cases' | 'tasks';
  readonly list: OperationName;
  readonly show: OperationName;
  /** Fetches items in pull mode. */
  readonly next: OperationName;
  /** What an owner is told about a run that has ended. */
  notice(run: RunRow): Notice;
  /** Counts the runs that ended. */
  readonly ended: { inc(labels: { readonly outcome: string; readonly code: string }, by?: number): void };
}
