/** What a product is. Each one is a file in `products/` and a line in the registry, `products.ts`. */
import { roundRate } from '#evals/rates.ts';
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import type { FreeRunField } from '../tokens/ledger.ts';
import type { CheckedTarget, OrderField, RedemptionInput } from './redemption-input.ts';
import type { CasesOfProduct } from './run-plan.ts';

/** Which items a run asks, apart from its product. */
export interface Sampling extends Pick<RunRow, 'replayOf'> {
  /** Null for a new one. */
  readonly seed: string | null;
}

/** What a product derives from an order. Its trials are those of the request by default, and its target is too. */
export interface ProductOrder extends Partial<
  Pick<RunRow, 'trials' | 'only' | 'shareReplies' | 'limitSeconds' | 'maxPromptTokens'>
> {
  readonly target?: TargetSettings | null;
  /** The number of items. */
  readonly runSize: number;
  readonly suite: {
    readonly name: string;
    readonly version: string;
    /** Of a published suite. */
    readonly ids?: { readonly suiteId: string; readonly suiteVersionId: string };
  };
  /** In tokens, unless this is the free first run. 0 if the operator charges nothing. */
  readonly cost: number;
}

/** A validated order. */
export interface RunOrder
  extends
    Omit<ProductOrder, 'trials' | 'target'>,
    CheckedTarget,
    Sampling,
    Pick<RunRow, 'product' | 'ranked' | 'trials' | 'label'>,
    Partial<Pick<RunRow, 'regradedFrom'>> {}

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
  /**
   * @returns why a first run with this order is not free, as the end of a sentence; null if it may be. Ranked runs, replays
   * and runs that wait long for replies never are.
   */
  whyNotFree(order: RunOrder): string | null;
}

export interface ProductOrders {
  /** The fields of an order that only some products take. */
  readonly fields: readonly OrderField[];
  /** @throws DomainError for a field that this product does not accept */
  read(ctx: AgentCtx, input: OrderInput): ProductOrder | Promise<ProductOrder>;
  /**
   * The order that grades the stored replies of a run by a version of its suite; absent if its cases have one version.
   * @param version null for the newest
   * @throws DomainError invalid_body, and those of suites
   */
  regrade?(
    ctx: AgentCtx,
    run: RunRow,
    version: number | null,
  ): Promise<Omit<RunOrder, keyof Sampling | 'label'>>;
}

export interface OrderInput extends RedemptionInput {
  readonly checked: CheckedTarget;
  /** The run whose items are asked again. */
  readonly replayed: RunRow | null;
}

/** The product in texts, errors and notices. */
export interface ProductWords {
  /** A run of the product, such as `Eval run`. */
  readonly title: string;
  /** What an owner is told about a run that has ended. @param unjudged replies that wait for judges */
  notice(run: RunRow, unjudged: number): Notice;
}

/** What an owner is told about a run that has ended. Eval runs have notices of their own. */
export function runNotice(
  { id, redemptionId, agentId, product, score, failureCode }: RunRow,
  unjudged: number,
): Notice {
  const of = { run_id: id, redemption_id: redemptionId, product };
  if (failureCode === null) {
    return {
      agentId,
      kind: 'run.completed',
      data: {
        ...of,
        status: 'completed',
        score: roundRate(score ?? 0),
        ...(unjudged === 0 ? {} : { unjudged }),
      },
    };
  }
  return { agentId, kind: 'run.failed', data: { ...of, status: 'failed', failure_code: failureCode } };
}
