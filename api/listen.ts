/** Serves an app on a port with connection limits, and drains it without cutting off responses. */
import type { Elysia } from 'elysia';
import { invariant } from '#domain/errors.ts';
import { StartError } from '#runtime/process/start-error.ts';

export interface ListenOptions {
  readonly hostname: string;
  /** 0 lets the operating system choose. */
  readonly port: number;
  /** Lets other processes listen on the same port. The kernel distributes the connections. */
  readonly sharesPort?: boolean;
  /** The setting that holds the port, for error messages. Defaults to PORT. */
  readonly setting?: string;
}

export interface Listening {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting connections and resolves once all requests in flight are done. */
  drain(): Promise<void>;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/**
 * Idle connections are closed after this time. Streams send keep-alives more often. Proxies close theirs after one or
 * two minutes by default, and must be first: a request that they send meanwhile would be lost.
 */
const idleTimeoutSeconds = 150;

/** @throws StartError if the port is in use */
export function listen(app: Elysia, options: ListenOptions): Listening {
  try {
    serve(app, options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const { hostname, port, setting = 'PORT' } = options;
    throw new StartError(`Port ${port} on ${hostname} is in use. Set ${setting} to a free port.`, {
      cause: error,
    });
  }
  const { server } = app;
  invariant(server !== null && server.port !== undefined, 'A listening app has a server with a port.');
  return {
    url: server.url.href.replace(/\/$/, ''),
    port: server.port,
    drain: () => server.stop(),
    close: () => server.stop(true),
  };
}

function serve(app: Elysia, { hostname, port, sharesPort = false }: ListenOptions): void {
  app.listen({
    hostname,
    port,
    idleTimeout: idleTimeoutSeconds,
    // Otherwise a second hub could silently bind the same port and receive half of the requests.
    reusePort: sharesPort,
    // The body reader enforces limits, with an error that clients can understand.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Otherwise Bun shows source code in its error pages.
    development: false,
  });
}
