/** An HTTP server on a free port of loopback, which stands for one of another program. */
export function serveLocally(fetch: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch });
  const stop = (): Promise<void> => server.stop(true);
  return { origin: server.url.origin, stop, [Symbol.asyncDispose]: stop };
}
