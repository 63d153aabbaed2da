/**
 * Opens checkout sessions at the payment provider. The operator chooses the provider's URL, which may be
 * internal, so the client applies its time and size limits but no address filter.
 */
import { DomainError } from '#domain/errors.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { Settings } from '#runtime/settings/settings.ts';

export interface CheckoutOrder {
  readonly products: readonly string[];
  readonly externalCustomerId: string | null;
  readonly customerEmail: string | null;
}

export interface CheckoutClient {
  /**
   * Opens a session. Never retries, because a retry might open a second session.
   * @returns the https URL of the checkout page
   * @throws DomainError checkout_failed
   */
  open(order: CheckoutOrder, signal: AbortSignal): Promise<string>;
  close(): void;
}

const limits = { answerTimeoutMs: 10_000, maxBodyBytes: 64 * 1024 };
/** A longer URL does not fit into the header buffers of common clients. */
const urlLengthMax = 4_000;

/** @returns null unless the operator has set both the URL and the token */
export function createCheckoutClient({
  checkoutApiUrl,
  checkoutAccessToken,
}: Pick<Settings, 'checkoutApiUrl' | 'checkoutAccessToken'>): CheckoutClient | null {
  if (checkoutApiUrl === null || checkoutAccessToken === null) return null;
  const http = createGuardedHttp({ policy: createAddressPolicy(['0.0.0.0/0', '::/0']), limits });
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
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString());
  } catch (error) {
    throw checkoutFailed(error);
  }
  const given = typeof parsed === 'object' && parsed !== null && 'url' in parsed ? parsed.url : undefined;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  // The response uses the parsed URL, which is always ASCII and may be several times as long as the given
  // one.
  if (url?.protocol === 'https:' && url.href.length <= urlLengthMax) return url.href;
  throw checkoutFailed(
    new Error('The response of the provider has no https URL in `url`, or one that is too long.'),
  );
}

function checkoutFailed(cause: unknown): DomainError {
  return new DomainError('checkout_failed', 'The payment provider did not open a checkout session.', {
    hint: 'Nothing was charged. Try again later.',
    cause,
  });
}
