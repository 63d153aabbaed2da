/** Waits for the effects of other processes, however busy the machine is. */
import type { TetheredProcess } from '#runtime/process/tethered-process.ts';

/** Generous, for a busy machine. */
const usualMs = 120_000;
const pausesMs = { min: 10, max: 200 };

/**
 * Looks often at first and then ever more rarely: the next pause is a tenth of the time waited so far. Each look costs
 * processor time that the processes waited for need.
 * @param what the condition in words, for the error
 * @throws if the condition is still false at the end
 */
export async function waitUntil(
  holds: () => Promise<boolean> | boolean,
  withinMs = usualMs,
  what = String(holds),
): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`It did not come to hold within ${withinMs} ms: ${what}`);
    await Bun.sleep(Math.min(pausesMs.max, Math.max(pausesMs.min, waitedMs / 10)));
  }
}

/** Like `waitUntil`. @throws also if the program ends before, with what it has written */
export async function waitWhileRunning(
  program: Pick<TetheredProcess, 'exited' | 'output'>,
  holds: () => Promise<boolean> | boolean,
  withinMs = usualMs,
): Promise<void> {
  let hasEnded = false;
  void program.exited.then(() => (hasEnded = true));
  await waitUntil(async () => hasEnded || (await holds()), withinMs, String(holds));
  if (hasEnded) throw new Error(`The program has ended: ${program.output()}`);
}
