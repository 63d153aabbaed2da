/** One client of a hub that crashes: asks for one thing after the other, and asks again, word for word, until it is told. */
import type { Attempt } from './attempts.ts';

/** What the hub said of an attempt in the end; null when it was given up unanswered. */
export interface Outcome {
  readonly attempt: Attempt;
  readonly answer: { readonly status: number; readonly text: string } | null;
}

export interface ClientOptions {
  readonly url: string;
  readonly draw: (turn: number) => Attempt;
  /** No new attempts from then on. */
  readonly isOver: () => boolean;
  /** Attempts under way are given up. */
  readonly isGivenUp: () => boolean;
  /** Between one attempt and the next; none when left out. */
  readonly pauseMs?: number;
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

export async function runClient({
  url,
  draw,
  isOver,
  isGivenUp,
  pauseMs = 0,
  onAnswer,
}: ClientOptions): Promise<ClientReport> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  let retries = 0;

  async function settle(attempt: Attempt): Promise<Outcome['answer']> {
    while (!isGivenUp()) {
      const answer = await send(attempt);
      if (answer !== null && !isWorthAnotherTry(answer)) return answer;
      retries += 1;
      await Bun.sleep(retryPauseMs);
    }
    return null;
  }

  /** Null when the connection broke. */
  async function send(attempt: Attempt): Promise<Outcome['answer']> {
    const { path, headers, body } = attempt;
    const startedAt = performance.now();
    const init = { method: 'POST', headers: headers(), signal: AbortSignal.timeout(answerMaxMs) };
    try {
      const response = await fetch(url + path, body === undefined ? init : { ...init, body });
      const text = await response.text();
      onAnswer?.(attempt, response, text, performance.now() - startedAt);
      return { status: response.status, text };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') faults.push(`${path} hangs`);
      return null;
    }
  }

  for (let turn = 1; !isOver(); turn += 1) {
    const attempt = draw(turn);
    const answer = await settle(attempt);
    outcomes.push({ attempt, answer });
    if (answer !== null && answer.status >= 500) faults.push(`${answer.status} ${answer.text}`);
    if (answer !== null && (answer.status === 400 || answer.status === 401)) faults.push(answer.text);
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
  return { outcomes, retries, faults };
}

/** The hub says so itself: the queue is away, or an earlier try still holds the key. */
function isWorthAnotherTry({ status, text }: { status: number; text: string }): boolean {
  return status === 503 || text.includes('"request_in_progress"');
}
