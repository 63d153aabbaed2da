/** Evaluation targets for the demo: one agent that can do a few things, and one that is broken. */

export interface RunningAgent {
  readonly url: string;
  stop(): Promise<void>;
}

/** Slow enough for the progress to be visible. */
const thinkingMs = 60;

/** A target accepts POST `{prompt}` and responds with JSON `{text}`. */
export function startSampleAgent(): RunningAgent {
  return serve(async (prompt) => {
    await Bun.sleep(thinkingMs);
    return Response.json({ text: replyTo(prompt) });
  });
}

export function startBrokenAgent(): RunningAgent {
  return serve(() => new Response('out of order', { status: 500 }));
}

function serve(answer: (prompt: string) => Response | Promise<Response>): RunningAgent {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { prompt } = (await request.json()) as { prompt: string };
      return answer(prompt);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) };
}

/** Solves a few kinds of prompts, so that the scorecard shows both passes and failures. */
function replyTo(prompt: string): string {
  const repeated = /-->([\s\S]*?)<--/.exec(prompt)?.[1];
  if (repeated !== undefined) return `${repeated}\n\nIt is a pleasant place, and we like it.`;
  if (/gcd|greatest common divisor/i.test(prompt))
    return String(numbersIn(prompt).reduce(greatestCommonDivisor));
  if (/capital letters/i.test(prompt)) return 'THIS IS A FINE PLACE. COME AND SEE IT.';
  if (/lower[- ]case letters only/i.test(prompt)) return 'this is a fine place. come and see it.';
  return 'This is a fine place. Come and see it.';
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
