/** The declaration of a product. Each product has its own table of runs; `product-names.ts` lists the products. */
import type { RedemptionRow } from '#db/schema/run-tables.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import type { FreeRunField } from '../tokens/ledger-rows.ts';
import type { ProductName } from './product-names.ts';
import type { RedemptionInput } from './redemption-input.ts';

export interface Product<Order, Run> {
  readonly name: ProductName;
  /** The reason in ledger entries, such as `Eval run`. */
  readonly reason: string;
  /** The field of an account with the redemption that used the free run of this product. */
  readonly freeRunField: FreeRunField;
  /** @throws DomainError for a field that this product does not accept */
  readOrder(ctx: AgentCtx, input: RedemptionInput): Order;
  /** In tokens, unless it is free. */
  costOf(order: Order): number;
  /** @returns why a first run with this order is not free, as the end of a sentence; null if it may be free */
  whyNotFree(order: Order): string | null;
  /** The URL that the run calls; null if the agent fetches the work itself. */
  targetUrlOf(order: Order): string | null;
  runOf(order: Order, redemption: RedemptionRow): Run;
  /** At the commit, inserts the runs and the jobs that carry them out: see `Transaction.atCommit`. */
  addRunsAtCommit(ctx: TransactionCtx, runs: readonly CausedRun<Run>[]): void;
}

export interface CausedRun<Run> {
  readonly run: Run;
  readonly cause: Cause | undefined;
}
