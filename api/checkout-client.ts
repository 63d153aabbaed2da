/**
 * Asks the payment provider for a checkout session (decisions.md section 8). The provider's address is the operator's own
 * choice, as the database's is, and may be an internal one: the client's limits hold for it, the address filter does not.
 */
import { DomainError } from '#domain/errors.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { Settings } from '#runtime/settings/settings.ts';

export interface CheckoutOrder {
  readonly products: readonly string[];
  readonly externalCustomerId: string | null;
  readonly customerEmail: string | null;
}

export interface CheckoutClient {
  /**
   * Opens a session, with one try, as a second one might open another.
   * @returns the https address of the checkout page
   * @throws DomainError checkout_failed
   */
  open(order: CheckoutOrder, signal: AbortSignal): Promise<string>;
  close(): void;
}

const limits = { answerTimeoutMs: 10_000, maxBodyBytes: 64 * 1024 };
/** A longer address does not fit into the header buffers of common clients. */
const urlLengthMax = 4_000;

/** @returns null where the operator has not set up both the address and the token */
export function createCheckoutClient({
  checkoutApiUrl,
  checkoutAccessToken,
}: Pick<Settings, 'checkoutApiUrl' | 'checkoutAccessToken'>): CheckoutClient | null {
  if (checkoutApiUrl === null || checkoutAccessToken === null) return null;
  const http = createGuardedHttp({ policy: { permits: () => true }, limits });
  return {
    open: async ({ products, externalCustomerId, customerEmail }, signal) => {
      const outcome = await http.request({
        url: checkoutApiUrl,
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${checkoutAccessToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          products,
          ...(externalCustomerId === null ? {} : { external_customer_id: externalCustomerId }),
          ...(customerEmail === null ? {} : { customer_email: customerEmail }),
        }),
        signal,
      });
      if (!outcome.ok) throw checkoutFailed(outcome.cause);
      return httpsUrlIn(outcome.body);
    },
    close: () => http.close(),
  };
}

/** @throws DomainError checkout_failed */
function httpsUrlIn(body: Uint8Array): string {
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(body).toString());
  } catch (error) {
    throw checkoutFailed(error);
  }
  const given = typeof answer === 'object' && answer !== null && 'url' in answer ? answer.url : undefined;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  // What goes out is the parsed address, which is plain ASCII whatever was given, and may be several times as long.
  if (url?.protocol === 'https:' && url.href.length <= urlLengthMax) return url.href;
  throw checkoutFailed(new Error('The provider’s answer has no https address in `url`, or a long one.'));
}

function checkoutFailed(cause: unknown): DomainError {
  return new DomainError('checkout_failed', 'The payment provider has opened no checkout.', {
    hint: 'Nothing was charged. Try again later.',
    cause,
  });
}
