/** Starts a run, and waits for a place while the agent has as many runs in progress as its limit allows. */
import { HubError } from './hub-error.ts';
import { pause } from './send.ts';

/** Every run has ended within this time, so something else is wrong. */
const waitMaxMs = 6 * 60 * 60 * 1_000;
const pollMs = 5_000;

export interface PlaceOptions {
  readonly signal?: AbortSignal;
  /** Called for each refusal, which says when a place is free. */
  readonly onWait?: ((refusal: HubError) => void) | undefined;
}

/** @throws what `ask` throws for any other reason */
export async function redeem(
  ask: (method: 'POST', path: string, body: object) => Promise<unknown>,
  order: object,
  { signal, onWait }: PlaceOptions = {},
): Promise<unknown> {
  const endsAt = Date.now() + waitMaxMs;
  for (;;) {
    try {
      return await ask('POST', '/v1/redemptions', order);
    } catch (error) {
      const isFull = error instanceof HubError && error.code === 'too_many_open_jobs';
      if (!isFull || Date.now() > endsAt) throw error;
      onWait?.(error);
      await pause(pollMs, signal);
    }
  }
}
