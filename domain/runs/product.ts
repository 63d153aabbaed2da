/** What a product is. Each one is a file in `products/` and a line in the registry, `products.ts`. */
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import type { FreeRunField } from '../tokens/ledger.ts';
import type { OrderField, RedemptionInput } from './redemption-input.ts';
import type { CasesOfProduct } from './run-plan.ts';

/** Which items a run asks, apart from its product. */
export interface Sampling extends Pick<RunRow, 'replayOf'> {
  /** Null for a new one. */
  readonly seed: string | null;
}

/** A validated order. */
export type RunOrder = ProductOrder & Sampling;

export interface ProductOrder extends Partial<
  Pick<RunRow, 'trials' | 'only' | 'shareReplies' | 'label' | 'limitSeconds' | 'regradedFrom'>
> {
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
  readonly suite: {
    readonly name: string;
    readonly version: string;
    /** Of a published suite. */
    readonly ids?: { readonly suiteId: string; readonly suiteVersionId: string };
  };
  /** In tokens, unless this is the free first run. 0 if the operator charges nothing. */
  readonly cost: number;
}

export interface Product {
  readonly name: string;
  readonly price: ProductPrice;
  readonly orders: ProductOrders;
  readonly cases: CasesOfProduct;
  readonly describe: ProductWords;
}

export interface ProductPrice {
  /** The field of an account with the redemption that used the free run of this product. */
  readonly freeRunField: FreeRunField;
  /** The setting for its price, which operators may set to 0. */
  readonly setting: string;
  /** @returns why a first run with this order is not free, as the end of a sentence; null if it may be free */
  whyNotFree(order: RunOrder): string | null;
}

export interface ProductOrders {
  /** The fields of an order that only some products take. */
  readonly fields: readonly OrderField[];
  /**
   * @param replayed the run whose items are asked again
   * @throws DomainError for a field that this product does not accept
   */
  read(ctx: AgentCtx, input: RedemptionInput, replayed: RunRow | null): ProductOrder | Promise<ProductOrder>;
  /**
   * The order that grades the stored replies of a run by a version of its suite; absent if its cases have one version.
   * @param version null for the newest
   * @throws DomainError invalid_body, and those of suites
   */
  regrade?(ctx: AgentCtx, run: RunRow, version: number | null): Promise<ProductOrder>;
}

/** The product in texts, errors and notices. */
export interface ProductWords {
  /** Begins the reasons of ledger entries, such as `Eval run`. */
  readonly title: string;
  /** A run of the product in a sentence, without its article. */
  readonly noun: string;
  /** What an owner is told about a run that has ended. */
  notice(run: RunRow): Notice;
}
