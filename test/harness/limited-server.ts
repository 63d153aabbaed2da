/** The usual limit of web frameworks for the bodies of requests, in front of another server. */

export interface LimitedServer {
  readonly origin: string;
  /** The sizes of the bodies, also of those refused. */
  readonly sizes: readonly number[];
  stop(): Promise<void>;
}

/** As `express.json()` has it. */
export const usualLimitBytes = 100 * 1024;

/** As Express responds outside of production. */
export const refusedBody =
  '<!DOCTYPE html>\n<html lang="en"><body><pre>PayloadTooLargeError: request entity too large</pre></body></html>';

/** @param inner the origin that gets the other requests, which may be known later */
export function startLimitedServer(inner: () => string): LimitedServer {
  const sizes: number[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const body = await request.bytes();
      if (request.method === 'POST') sizes.push(body.length);
      if (body.length > usualLimitBytes)
        return new Response(refusedBody, {
          status: 413,
          headers: { 'content-type': 'text/html; charset=utf-8' },
        });
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      for (const name of ['host', 'content-length']) headers.delete(name);
      const { method } = request;
      const passed = await fetch(`${inner()}${pathname}${search}`, {
        method,
        headers,
        ...(method === 'POST' ? { body } : {}),
      });
      const type = passed.headers.get('content-type') ?? 'text/plain';
      return new Response(await passed.text(), { status: passed.status, headers: { 'content-type': type } });
    },
  });
  return { origin: server.url.origin, sizes, stop: () => server.stop(true) };
}
