/** The usual limit of web frameworks for the bodies of requests, in front of another server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
export async function startLimitedServer(inner: () => string): Promise<LimitedServer> {
  const sizes: number[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const { method = 'GET', url = '/', headers: received } = request;
    const isPost = method === 'POST';
    const bytes = Buffer.byteLength(body);
    if (isPost) sizes.push(bytes);
    if (bytes > usualLimitBytes) {
      response.writeHead(413, { 'content-type': 'text/html; charset=utf-8' }).end(refusedBody);
      return;
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(received))
      if (name !== 'content-length' && name !== 'host') headers.set(name, String(value));
    const passed = await fetch(`${inner()}${url}`, { method, headers, ...(isPost ? { body } : {}) });
    const type = passed.headers.get('content-type') ?? 'text/plain';
    response.writeHead(passed.status, { 'content-type': type }).end(await passed.text());
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sizes,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
