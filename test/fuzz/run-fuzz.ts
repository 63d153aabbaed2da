/**
 * Sends requests drawn from the OpenAPI document to a hub over HTTP. No response may be undocumented, a 5xx,
 * or a success without the required credentials or with an invalid body, and the hub's memory must not grow
 * with the number of requests. The same seed draws the same requests; sent in sequence, they also get the
 * same responses.
 */
import fc from 'fast-check';
import { hubEndpoints } from '#api/routes.ts';
import { documentOf, holdToDocument, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import type { Dialect } from '#db/dialect.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { type FuzzHub, startFuzzHub } from './fuzz-hub.ts';
import { judgeWeights, type Weight } from './judge-weights.ts';
import { createKnownThings } from './placeholders.ts';
import { anyRequest, type FuzzRequest } from './requests.ts';
import { type Outcome, sendRequest } from './send-request.ts';

export interface FuzzOptions {
  readonly dialect: Dialect;
  readonly requests: number;
  readonly seed: number;
  /** Concurrent requests. */
  readonly lanes: number;
  /** No request is sent after this time. */
  readonly lastsMaxMs?: number;
  readonly onFault?: (fault: string) => void;
  readonly onProgress?: (weight: Weight, faults: number) => void;
}

/** The number drawn at once. Each portion has its own seed, so it affects the requests. */
const portionSize = 250;
/** A mail server, or a store or queue, did not respond in time. */
const askAgain: ReadonlySet<number> = new Set([502, 503]);
const triesMax = 4;
const pauseMs = 1_000;
const askedAgainShareMax = 0.001;
/** The run ends after this many. */
const faultsMax = 10;
/**
 * Measurements in a short run, and requests between them in a long one. Each follows a garbage collection.
 */
const weighedTimes = 40;
const weighedEveryMax = 2_500;

export async function runFuzz(options: FuzzOptions) {
  const store = await openScratchStore(options.dialect);
  const hub = await startFuzzHub(store.setting);
  try {
    return await fuzz(hub, options);
  } finally {
    await hub.end();
    await store.remove();
  }
}

async function fuzz(hub: FuzzHub, options: FuzzOptions) {
  const { requests, seed, lanes, lastsMaxMs = Infinity, onFault, onProgress } = options;
  const document = documentOf(hubEndpoints);
  const operations = listOperations(document, listDocumentedAnswers(document));
  const drawn = drawRequests(operations, seed);
  const carriedOut = new Set<unknown>();
  const known = createKnownThings(['agent', 'other', 'maintainer']);
  const context = { hub, known, holdToDocument: holdToDocument() };
  const byStatus: Record<number, number> = {};
  /** Each with the request that causes it. */
  const faults: string[] = [];
  const weights: Weight[] = [];
  const giveUpAt = performance.now() + lastsMaxMs;
  const weighedEvery = Math.min(weighedEveryMax, Math.max(1, Math.floor(requests / weighedTimes)));
  /** How often the hub asked to retry later, as on an overloaded machine. */
  let askedAgain = 0;
  let begun = 0;
  let sent = 0;

  /** Retries what the hub says may succeed later. A request that it cannot serve fails every time. */
  async function sendUntilTaken(request: FuzzRequest): Promise<Outcome> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await sendRequest(context, request).catch((error: unknown) =>
        unanswered(request, error),
      );
      if (!askAgain.has(outcome.status) || tries >= triesMax) return outcome;
      askedAgain += 1;
      await Bun.sleep(pauseMs);
    }
  }

  async function sendNext(): Promise<void> {
    begun += 1;
    const number = begun;
    const request = drawn.next().value;
    const outcome = await sendUntilTaken(request);
    byStatus[outcome.status] = (byStatus[outcome.status] ?? 0) + 1;
    sent += 1;
    // Another method is another operation.
    const isItself = request.method === request.operation.method;
    if (isItself && outcome.status >= 200 && outcome.status < 300) carriedOut.add(request.operation);
    if (outcome.status === 200 && request.method === 'DELETE') await hub.renewCredentials();
    if (outcome.fault !== null) {
      const fault = `Request ${number} of seed ${seed}, ${describe(request, outcome)}`;
      faults.push(fault);
      onFault?.(fault);
    }
    if (sent % weighedEvery !== 0) return;
    const weight = { sent, ...(await hub.weigh()) };
    weights.push(weight);
    onProgress?.(weight, faults.length);
  }

  const isOver = (): boolean =>
    begun >= requests || faults.length >= faultsMax || performance.now() > giveUpAt;
  const lane = async (): Promise<void> => {
    while (!isOver()) await sendNext();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const memory = judgeWeights(weights);
  const neverCarriedOut = operations
    .filter((operation) => !carriedOut.has(operation))
    .map(({ method, path }) => `${method} ${path}`);
  const grown = memory.flatMap(({ holds, said }) => (holds === false ? said : []));
  if (askedAgain > sent * askedAgainShareMax)
    faults.push(`${askedAgain} of ${sent} requests were retried because the hub was unavailable.`);
  return { sent, askedAgain, byStatus, faults: [...faults, ...grown], neverCarriedOut, memory };
}

/** An endless sequence, the same for the same seed. */
function* drawRequests(operations: readonly Operation[], seed: number): Generator<FuzzRequest, never> {
  const drawn = anyRequest(operations);
  for (let turn = 0; ; turn += 1) yield* fc.sample(drawn, { seed: seed + turn, numRuns: portionSize });
}

/** The connection broke or the request timed out. */
function unanswered({ path, body }: FuzzRequest, error: unknown): Outcome {
  return { status: 0, fault: `No response: ${String(error)}`, sent: { path, body } };
}

function describe(request: FuzzRequest, { status, fault, sent }: Outcome): string {
  const { method, caller, headers } = request;
  const body = typeof sent.body === 'string' ? sent.body.slice(0, 2000) : sent.body;
  const replay = JSON.stringify({ method, path: sent.path, caller, headers, body });
  return `response ${status}: ${fault}\n${replay}`;
}
