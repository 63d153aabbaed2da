/** Waits for the effects of other processes, however busy the machine is. */

/** Generous, for a busy machine. */
const usualMs = 20_000;
const pauseMs = 20;

/** @throws if the condition is still false at the end */
export async function waitUntil(holds: () => Promise<boolean>, withinMs = usualMs): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt)
      throw new Error(`It did not come to hold within ${withinMs} ms: ${String(holds)}`);
    await Bun.sleep(pauseMs);
  }
}
