/** Clients that send actions and repeat each one, word for word, until the hub gives a final response. */
import { createRandom } from '#evals/random.ts';
import { type Action, drawAction, type Mix } from './actions.ts';
import type { PopulatedHub } from './population.ts';
import { request, retryAfter } from './request.ts';
import type { Reply, Witness } from './witness.ts';

export interface ClientGroup {
  readonly mix: Mix;
  readonly count: number;
  /** Between actions, so that the load leaves processor time to processes that restart. */
  readonly pauseMs?: number;
  /** A client draws no new action while this many wait for a retry. */
  readonly waitingMax?: number;
  /** One action in ten repeats an acknowledged reservation under its key. */
  readonly replays?: boolean;
}

interface ClientsOptions {
  /** API processes. A client moves to the next one when a connection breaks. */
  readonly urls: readonly string[];
  readonly groups: readonly ClientGroup[];
  readonly seed: string;
  /** Distinguishes the marks of several runs on one store. */
  readonly tag?: string;
  readonly population: PopulatedHub;
  readonly witness: Witness;
}

const idlePauseMs = 20;

interface Waiting {
  readonly action: Action;
  readonly retryAt: number;
}

export function startClients({ urls, groups, seed, tag = '', population, witness }: ClientsOptions) {
  const over = { isOver: false };
  let givenUpAt = Number.POSITIVE_INFINITY;

  async function runClient(group: ClientGroup, index: number): Promise<void> {
    const { mix, pauseMs = 0, waitingMax = 1, replays = false } = group;
    const name = `${tag}${mix}${index}`;
    const random = createRandom(seed, `client ${name}`);
    const waiting: Waiting[] = [];
    const reservations: Action[] = [];
    let urlIndex = index;
    let turn = 0;

    async function attempt(action: Action): Promise<void> {
      const reply = await send(witness, urls[urlIndex % urls.length]!, action);
      const pauseBeforeRetryMs = retryAfter(reply);
      if (pauseBeforeRetryMs === null) {
        witness.outcomes.push({ action, reply });
        if (action.kind === 'reservation' && reply?.status === 200) reservations.push(action);
        return;
      }
      witness.retries += 1;
      waiting.push({ action, retryAt: performance.now() + pauseBeforeRetryMs });
      if (reply !== null) return;
      urlIndex += 1;
      await Bun.sleep(pauseBeforeRetryMs);
    }

    function draw(): Action {
      turn += 1;
      if (replays && reservations.length > 0 && random.int(1, 10) === 1) return random.pick(reservations);
      return drawAction(mix, random, `${name}-${turn}`, population);
    }

    while (performance.now() < givenUpAt && (!over.isOver || waiting.length > 0)) {
      const due = takeDue(waiting);
      if (due !== null) {
        await attempt(due);
      } else if (!over.isOver && waiting.length < waitingMax) {
        await attempt(draw());
        if (pauseMs > 0) await Bun.sleep(pauseMs);
      } else {
        await Bun.sleep(idlePauseMs);
      }
    }
    for (const { action } of waiting) witness.outcomes.push({ action, reply: null });
  }

  const running = groups.flatMap((group) =>
    Array.from({ length: group.count }, (_, index) => runClient(group, index)),
  );
  return {
    /** Stops new actions, and gives up those without a final response after the given time. */
    end: async (withinMs: number): Promise<void> => {
      over.isOver = true;
      givenUpAt = performance.now() + withinMs;
      await Promise.all(running);
    },
  };
}

function takeDue(waiting: Waiting[]): Action | null {
  const now = performance.now();
  const index = waiting.findIndex(({ retryAt }) => retryAt <= now);
  return index < 0 ? null : waiting.splice(index, 1)[0]!.action;
}

/** @returns null if the connection broke */
async function send(witness: Witness, url: string, { path, headers, body }: Action): Promise<Reply | null> {
  try {
    return await request(witness, url, 'POST', path, { headers: headers(), body });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      witness.report(`POST ${path} got no response`);
    return null;
  }
}
