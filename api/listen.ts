/** Puts an app on a port, with the limits of the connection itself, and takes it off again without cutting answers short. */
import type { Elysia } from 'elysia';
import { invariant } from '#domain/errors.ts';
import { StartError } from '#runtime/process/start-error.ts';

export interface ListenOptions {
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Lets other processes listen on the same port, between which the system divides the connections. */
  readonly sharesPort?: boolean;
  /** Names the port to the operator; PORT when left out. */
  readonly setting?: string;
}

export interface Listening {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections and resolves when the requests under way are answered. */
  drain(): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

/** A connection on which nothing moves for so long is closed. Streams send something more often. */
const idleTimeoutSeconds = 60;

/** @throws StartError when the port is taken */
export function listen(app: Elysia, options: ListenOptions): Listening {
  try {
    serve(app, options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const { hostname, port, setting = 'PORT' } = options;
    throw new StartError(`Port ${port} on ${hostname} is in use. Set ${setting} to a free one.`, {
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
    // Unless it is wanted, a second hub on the same port would start without a word and get half of the requests.
    reusePort: sharesPort,
    // Bodies are limited where they are read, so that the refusal is one that a client can understand.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Otherwise Bun answers its own errors with a page that shows the source.
    development: false,
  });
}
