import { serveLocally } from './serve-locally.ts';

interface PulledAnswer {
  readonly case_id: string;
  readonly text?: string;
  /** Why there is no reply. */
  readonly error?: string;
}

/** A body whose connection breaks. */
export function brokenOff(): ReadableStream<string> {
  return new ReadableStream({
    async pull(body) {
      body.enqueue('{"cases": [');
      await Bun.sleep(50);
      body.error(new Error('The connection breaks.'));
    },
  });
}

/** A fake hub with only pull mode: it serves cases and expects each answer once. */
export function startPullServer(cases: number) {
  const answers = new Map<string, string>();
  const workers = new Set<string | null>();
  let next = 0;
  let fetches = 0;
  const state = () => ({ remaining: cases - answers.size, ended: answers.size === cases });

  function handOut(): Response {
    fetches += 1;
    if (fetches === 2)
      return Response.json({ error: 'rate_limited' }, { status: 429, headers: { 'retry-after': '0' } });
    if (fetches === 3 || fetches === 4)
      return new Response(brokenOff(), { status: fetches === 3 ? 200 : 500 });
    const index = next;
    next += 1;
    const prompt = `case ${index}`;
    // One case has several turns.
    const earlier = [
      { role: 'user', content: 'earlier' },
      { role: 'assistant', content: 'reply' },
    ];
    const messages = [...(index === 5 ? earlier : []), { role: 'user', content: prompt }];
    const handed = { case_id: `c${index}`, index, prompt, messages, expires_at: '' };
    return Response.json({ cases: index < cases ? [handed] : [], ...state() });
  }

  function take(given: readonly PulledAnswer[]): Response {
    for (const { case_id: id, text, error } of given) {
      if (answers.has(id)) return Response.json({ error: 'case_answered' }, { status: 409 });
      answers.set(id, text ?? `No reply: ${error ?? ''}`);
    }
    const done = given.map(({ case_id }) => ({ case_id, done: true }));
    return Response.json({ accepted: done.length, cases: done, ...state() });
  }

  const server = serveLocally(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/v1/redemptions') return Response.json({ run: { id: 'j' } });
    if (pathname.endsWith('/next')) {
      workers.add(searchParams.get('worker'));
      return handOut();
    }
    // The client under test sends this body.
    if (pathname.endsWith('/answers'))
      return take(((await request.json()) as { answers: PulledAnswer[] }).answers);
    return Response.json({ run: { status: state().ended ? 'completed' : 'running' } });
  });
  return { url: `${server.origin}/`, answers, workers, stop: server.stop };
}
