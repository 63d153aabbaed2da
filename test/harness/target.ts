/** Eval targets for tests: HTTP servers on loopback whose responses the test sets. */
import { generateCases } from '#domain/eval-suite/index.ts';

export interface TestTarget {
  readonly url: string;
  /** The requests so far. */
  readonly calls: readonly TargetRequest[];
  stop(): Promise<void>;
}

export interface TargetRequest {
  readonly prompt: string;
  readonly idempotencyKey: string | null;
  readonly headers: Headers;
}

type Reply = (request: TargetRequest) => Response | string | Promise<Response | string>;

/** @param reply a text, or a complete response */
export function startTarget(reply: Reply): TestTarget {
  const calls: TargetRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { prompt } = (await request.json()) as { prompt: string };
      const { headers } = request;
      const call = { prompt, idempotencyKey: headers.get('idempotency-key'), headers };
      calls.push(call);
      const answer = await reply(call);
      return typeof answer === 'string' ? Response.json({ text: answer }) : answer;
    },
  });
  return { url: `http://127.0.0.1:${server.port}/answer`, calls, stop: () => server.stop(true) };
}

/** A target that knows the correct answers for runs with these seeds. `seeds` may grow later. */
export function startOracle(seeds: () => Iterable<string>, pauseMs = 0): TestTarget {
  const answers = new Map<string, string>();
  const learnt = new Set<string>();
  return startTarget(async ({ prompt }) => {
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    for (const seed of seeds()) {
      if (learnt.has(seed)) continue;
      learnt.add(seed);
      for (const evalCase of generateCases(seed)) answers.set(evalCase.prompt, evalCase.expected);
    }
    const answer = answers.get(prompt);
    if (answer !== undefined) return answer;
    return new Response('unknown prompt', { status: 500 });
  });
}
