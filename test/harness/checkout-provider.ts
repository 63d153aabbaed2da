/** A payment provider that opens a checkout for every request. */

export interface CheckoutProvider {
  /** A value for `CHECKOUT_API_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

export function startCheckoutProvider(): CheckoutProvider {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ url: 'https://pay.example/session' }),
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}
