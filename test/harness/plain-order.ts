/** Orders of eval runs that tests and benchmarks write to the store. */
import type { RunOrder } from '#domain/runs/product.ts';
import { plainTarget } from '#domain/runs/read-order.ts';
import { maxPromptTokensDefault } from '#domain/runs/redemption-input.ts';
import { checkName, checkVersion, healthCheckSize } from '#evals/health/health-check.ts';

/** An order with the defaults, as for a request with only `target_url`; null is pull mode. It costs one token. */
export function plainOrder(targetUrl: string | null): RunOrder {
  return {
    seed: null,
    replayOf: null,
    product: 'eval-run',
    suite: { name: checkName, version: checkVersion },
    targetUrl,
    target: targetUrl === null ? null : plainTarget,
    targetHeaders: null,
    runSize: healthCheckSize({ size: 'standard', maxPromptTokens: maxPromptTokensDefault, tools: false }),
    maxPromptTokens: maxPromptTokensDefault,
    ranked: false,
    trials: 1,
    label: null,
    cost: 1,
  };
}
