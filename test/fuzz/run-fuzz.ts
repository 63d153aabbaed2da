/**
 * Sends requests drawn from the OpenAPI document to a hub, one after the other, over HTTP. No answer may be outside of the
 * document, a 5xx, a success for somebody without the credentials, or one for a body that the document forbids; and the
 * hub's memory may not grow with the number of requests. The same seed draws the same requests.
 */
import fc from 'fast-check';
import { hubEndpoints } from '#api/routes/index.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { holdToDocument } from '#test/harness/hold-to-document.ts';
import { listOperations } from '#test/harness/operations.ts';
import type { Dialect } from '#db/database.ts';
import { createPlace } from '#test/harness/stores.ts';
import { type FuzzHub, startFuzzHub } from './fuzz-hub.ts';
import { createKnownThings } from './placeholders.ts';
import { anyRequest, type FuzzRequest } from './requests.ts';
import { type Outcome, sendRequest } from './send-request.ts';

export interface FuzzOptions {
  readonly dialect: Dialect;
  readonly requests: number;
  readonly seed: number;
  readonly onProgress?: (sent: number) => void;
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: Readonly<Record<number, number>>;
  /** Each with the request that leads to it. Empty when all is well. */
  readonly faults: readonly string[];
  /** Operations that were carried out for nobody. */
  readonly neverCarriedOut: readonly string[];
  /** From a quarter of the way to the end. */
  readonly heapGrowthBytes: number;
}

/** Drawn at once. Part of what a seed means, as each portion has a seed of its own. */
const PORTION = 250;
/** What comes and goes with requests, and is not held on to, stays below this however many there are. */
const HEAP_GROWTH_MAX_BYTES = 48 * 1024 * 1024;
/** After these there is no need for more. */
const FAULTS_MAX = 10;

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const place = await createPlace(options.dialect);
  const hub = await startFuzzHub(place.setting);
  try {
    return await fuzz(hub, options);
  } finally {
    await hub.end();
    await place.remove();
  }
}

async function fuzz(hub: FuzzHub, { requests, seed, onProgress }: FuzzOptions): Promise<FuzzReport> {
  const document = documentOf(hubEndpoints);
  const operations = listOperations(document, listDocumentedAnswers(document));
  const drawn = anyRequest(operations);
  const carriedOut = new Set<unknown>();
  const context = {
    hub,
    known: createKnownThings(['agent', 'other', 'maintainer']),
    holdToDocument: holdToDocument(),
  };
  const byStatus: Record<number, number> = {};
  const faults: string[] = [];
  let sent = 0;
  let earlyHeapBytes: number | null = null;
  while (sent < requests && faults.length < FAULTS_MAX) {
    const numRuns = Math.min(PORTION, requests - sent);
    for (const request of fc
      .sample(drawn, { seed: seed + sent / PORTION, numRuns: PORTION })
      .slice(0, numRuns)) {
      const outcome = await sendRequest(context, request);
      byStatus[outcome.status] = (byStatus[outcome.status] ?? 0) + 1;
      sent += 1;
      // Asked with another method it is another operation, or a question about it.
      const isItself = request.method === request.operation.method;
      if (isItself && outcome.status < 300) carriedOut.add(request.operation);
      if (outcome.status === 200 && request.method === 'DELETE') await hub.renewCredentials();
      if (outcome.fault !== null) faults.push(describe(request, outcome, seed, sent));
    }
    if (sent >= requests / 4) earlyHeapBytes ??= await hub.weigh();
    onProgress?.(sent);
  }
  const heapGrowthBytes = (await hub.weigh()) - (earlyHeapBytes ?? 0);
  if (heapGrowthBytes > HEAP_GROWTH_MAX_BYTES) {
    faults.push(`The hub holds on to ${heapGrowthBytes} bytes more than after a quarter of the requests.`);
  }
  const neverCarriedOut = operations
    .filter((operation) => !carriedOut.has(operation))
    .map(({ method, path }) => `${method} ${path}`);
  return { sent, byStatus, faults, neverCarriedOut, heapGrowthBytes };
}

function describe(
  request: FuzzRequest,
  { status, fault, sent }: Outcome,
  seed: number,
  number: number,
): string {
  const { method, caller, headers } = request;
  const body = typeof sent.body === 'string' ? sent.body.slice(0, 2000) : sent.body;
  return [
    `Request ${number} of seed ${seed}, answered ${status}: ${fault}`,
    JSON.stringify({ method, path: sent.path, caller, headers, body }),
  ].join('\n');
}
