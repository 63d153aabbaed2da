/** One client of a hub that crashes: asks for one thing after the other, and asks again, word for word, until it is told. */
import type { Attempt } from './attempts.ts';

/** What the hub said of an attempt in the end; null when it was given up unanswered. */
export interface Outcome {
  readonly attempt: Attempt;
  readonly answer: { readonly status: number; readonly text: string } | null;
}

export interface ClientOptions {
  /** Processes of the hub, of which it asks the next when one has broken off. */
  readonly urls: readonly string[];
  readonly draw: (turn: number) => Attempt;
  /** No new attempts from then on. */
  readonly isOver: () => boolean;
  /** Attempts under way are given up. */
  readonly isGivenUp: () => boolean;
  /** Between one attempt and the next; none when left out. */
  readonly pauseMs?: number;
  /** So many attempts may wait for another try before it draws no more; 1 when left out, for one after the other. */
  readonly waitingMax?: number;
  /** Told of every answer, also of those after which it asks again. */
  readonly onAnswer?: (attempt: Attempt, response: Response, text: string, tookMs: number) => void;
}

export interface ClientReport {
  readonly outcomes: readonly Outcome[];
  readonly retries: number;
  /** Answers that no crash excuses. */
  readonly faults: readonly string[];
}

/** Longer than the hub may take for anything: what takes longer hangs. */
const answerMaxMs = 30_000;
const retryPauseMs = 100;
/** An earlier try, whose process may have died, holds the key for up to half a minute. */
const heldPauseMs = 1_000;
const lookEveryMs = 20;

/** An attempt that nothing final was said of. */
interface Waiting {
  readonly attempt: Attempt;
  readonly againAt: number;
}

export async function runClient({
  urls,
  draw,
  isOver,
  isGivenUp,
  pauseMs = 0,
  waitingMax = 1,
  onAnswer,
}: ClientOptions): Promise<ClientReport> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  const waiting: Waiting[] = [];
  let retries = 0;
  let urlIndex = 0;

  /** Null when the connection broke. */
  async function send(url: string, attempt: Attempt): Promise<Outcome['answer']> {
    const startedAt = performance.now();
    try {
      const { response, text } = await post(url, attempt);
      onAnswer?.(attempt, response, text, performance.now() - startedAt);
      return { status: response.status, text };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        faults.push(`${attempt.path} hangs`);
      return null;
    }
  }

  function settle(attempt: Attempt, answer: Outcome['answer']): void {
    outcomes.push({ attempt, answer });
    if (answer === null) return;
    if (answer.status >= 500) faults.push(`${answer.status} ${answer.text}`);
    if (answer.status === 400 || answer.status === 401) faults.push(answer.text);
  }

  async function ask(attempt: Attempt): Promise<void> {
    const answer = await send(urls[urlIndex % urls.length]!, attempt);
    const againAfterMs = againAfter(answer);
    if (againAfterMs === null) {
      settle(attempt, answer);
      return;
    }
    retries += 1;
    waiting.push({ attempt, againAt: performance.now() + againAfterMs });
    if (answer !== null) return;
    // Another process may serve where this one has died; if none does, there is nothing to be had for a while.
    urlIndex += 1;
    await Bun.sleep(retryPauseMs);
  }

  let turn = 0;
  while (!isGivenUp() && (!isOver() || waiting.length > 0)) {
    const due = takeDue(waiting);
    if (due !== null) {
      await ask(due);
    } else if (!isOver() && waiting.length < waitingMax) {
      turn += 1;
      await ask(draw(turn));
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    } else {
      await Bun.sleep(lookEveryMs);
    }
  }
  for (const { attempt } of waiting) settle(attempt, null);
  return { outcomes, retries, faults };
}

/** What has waited for its time. */
function takeDue(waiting: Waiting[]): Attempt | null {
  const now = performance.now();
  const index = waiting.findIndex(({ againAt }) => againAt <= now);
  return index < 0 ? null : waiting.splice(index, 1)[0]!.attempt;
}

async function post(url: string, { path, headers, body }: Attempt) {
  const init = { method: 'POST', headers: headers(), signal: AbortSignal.timeout(answerMaxMs) };
  const response = await fetch(url + path, body === undefined ? init : { ...init, body });
  return { response, text: await response.text() };
}

/** Whether an attempt is worth another try, and after how long: the hub says so itself, save where the connection broke. */
function againAfter(answer: Outcome['answer']): number | null {
  if (answer === null || answer.status === 503) return retryPauseMs;
  return answer.text.includes('"request_in_progress"') ? heldPauseMs : null;
}
