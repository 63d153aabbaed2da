/** The registry of the products. */
import { counter } from '#runtime/tracing/metrics.ts';
import type { Product } from './product.ts';
import { agentRun } from './products/agent-run.ts';
import { evalRun } from './products/eval-run.ts';
import { suiteRun } from './products/suite-run.ts';

const products = {
  'eval-run': evalRun,
  'agent-run': agentRun,
  'suite-run': suiteRun,
} as const satisfies Record<string, Product>;

export type ProductName = keyof typeof products;
// The keys of the object are those of its type.
export const productNames = Object.keys(products) as readonly ProductName[];

export const runsEnded = counter(
  'hub_runs_total',
  'Runs ended: product, outcome completed or failed, and the failure code (none when completed).',
  ['product', 'outcome', 'code'],
);
// Present from the first scrape on, so that the first one shows as an increase, which raises an alert.
for (const product of productNames) runsEnded.inc({ product, outcome: 'failed', code: 'internal' }, 0);

/** The product that boards, badges and profiles are about unless they name another. */
export const mainProduct: ProductName = 'eval-run';

export function findProduct(name: string): Product | null {
  const known = productNames.find((one) => one === name);
  return known === undefined ? null : products[known];
}

/** The product of a run. */
export function productOf({ product }: { readonly product: string }): Product {
  const found = findProduct(product);
  if (found === null) throw new Error(`This version has no product ${product}.`);
  return found;
}
