/** Eval targets for tests: HTTP servers on loopback whose responses the test sets. */
import type { TargetInput } from '#domain/runs/redemption-input.ts';
import { sizePromptBegins } from '#domain/targets/prepare-probe.ts';
import { consentPath } from '#runtime/turns/host-consents.ts';
import { serveLocally } from './serve-locally.ts';
import { openAnswerBook } from './answer-book.ts';

export type TestTarget = ReturnType<typeof startTarget>;

export interface TargetRequest {
  readonly prompt: string;
  /** What the user has said so far; the last is the prompt. */
  readonly prompts: readonly string[];
  readonly idempotencyKey: string | null;
  readonly headers: Headers;
  /** The whole body as received. */
  readonly body: unknown;
}

/** What a caller says of a target, unless it says more. */
export function targetAt(url: string, more: Partial<TargetInput> = {}): TargetInput {
  return { url, protocol: 'hub', model: null, headers: {}, concurrency: 1, timeout_s: null, ...more };
}

const seedTriesMax = 10;
const seedPauseMs = 20;

type Reply = (request: TargetRequest) => Response | string | Promise<Response | string>;

interface TargetBody {
  readonly prompt: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/**
 * A target that agrees to the calls of all agents.
 * @param reply a text, or a complete response
 */
export function startTarget(reply: Reply) {
  /** Without those that only try the size of a run's prompts. */
  const calls: TargetRequest[] = [];
  const server = serveLocally(async (request) => {
    if (new URL(request.url).pathname === consentPath) return Response.json({ agents: '*' });
    if (request.method === 'GET') return new Response('Not found', { status: 404 });
    const body = (await request.json()) as Partial<TargetBody>;
    // A probe tries other protocols too.
    const said = body.messages ?? onlyPrompt(body);
    if (said === undefined) return new Response('Bad request', { status: 400 });
    const { headers } = request;
    const prompts = said.filter(({ role }) => role === 'user').map(({ content }) => content);
    const prompt = prompts.at(-1) ?? '';
    if (prompt.startsWith(sizePromptBegins)) return Response.json({ text: 'ready' });
    const call = { prompt, prompts, idempotencyKey: headers.get('idempotency-key'), headers, body };
    calls.push(call);
    const answer = await reply(call);
    return typeof answer === 'string' ? Response.json({ text: answer }) : answer;
  });
  return { ...server, url: `${server.origin}/answer`, calls };
}

function onlyPrompt({ prompt }: Partial<TargetBody>): TargetBody['messages'] | undefined {
  return prompt === undefined ? undefined : [{ role: 'user', content: prompt }];
}

/** A target that knows the correct answers for runs with these seeds. `seeds` may grow later. */
export function startOracle(seeds: () => Iterable<string>, pauseMs = 0): TestTarget {
  const book = openAnswerBook(seeds);
  return startTarget(async ({ prompts }) => {
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    // A runner in another process may call before the test knows the seed of the run.
    for (let tries = 0; tries < seedTriesMax; tries += 1) {
      const turn = book.find(prompts);
      if (turn !== undefined) return turn.best;
      await Bun.sleep(seedPauseMs);
    }
    return new Response('unknown prompt', { status: 500 });
  });
}
