/** The part of accepting a redemption that needs no store: is it something we sell, and may we call the target? */
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';

export const products = ['eval-run'] as const;
export type Product = (typeof products)[number];

export interface RedemptionInput {
  readonly product: string;
  /** Required by `eval-run`; null when the caller left it out. */
  readonly targetUrl: string | null;
}

export interface CheckedRedemption {
  readonly product: Product;
  readonly targetUrl: string;
}

/** @throws DomainError product_not_available, invalid_target_url */
export function checkRedemption(ctx: Ctx, input: RedemptionInput): CheckedRedemption {
  const product = products.find((known) => known === input.product);
  if (product === undefined) {
    throw new DomainError('product_not_available', '`product` names nothing that this hub has.', {
      hint: `Available products: ${products.join(', ')}.`,
    });
  }
  if (input.targetUrl === null) {
    throw invalidTarget('`target_url` is required for `eval-run`.');
  }
  const parsed = parseTargetUrl(input.targetUrl, ctx.rules.targetAddresses);
  if (!parsed.ok) throw invalidTarget(`\`target_url\` cannot be used. ${parsed.message}`);
  return { product, targetUrl: input.targetUrl };
}

function invalidTarget(message: string): DomainError {
  return new DomainError('invalid_target_url', message, {
    hint: 'Give the http(s) URL of a public endpoint that accepts POST {"prompt": "…"} and answers {"text": "…"}.',
  });
}
