/** The usual limit of web frameworks for the bodies of requests, in front of another server. */

import { serveLocally } from './serve-locally.ts';

export type LimitedServer = ReturnType<typeof startLimitedServer>;

/** As `express.json()` has it. */
export const usualLimitBytes = 100 * 1024;

/** As Express responds outside of production. */
export const refusedBody =
  '<!DOCTYPE html>\n<html lang="en"><body><pre>PayloadTooLargeError: request entity too large</pre></body></html>';

/** @param inner the origin that gets the other requests, which may be known later */
export function startLimitedServer(inner: () => string) {
  /** Of the bodies, also of those refused. */
  const sizes: number[] = [];
  const server = serveLocally(async (request) => {
    const body = await request.bytes();
    if (request.method === 'POST') sizes.push(body.length);
    if (body.length > usualLimitBytes) {
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      return new Response(refusedBody, { status: 413, headers });
    }
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of ['host', 'content-length']) headers.delete(name);
    const { method } = request;
    const sent = { method, headers, ...(method === 'POST' ? { body } : {}) };
    const passed = await fetch(`${inner()}${pathname}${search}`, sent);
    const type = passed.headers.get('content-type') ?? 'text/plain';
    return new Response(await passed.text(), { status: passed.status, headers: { 'content-type': type } });
  });
  return { ...server, sizes };
}
