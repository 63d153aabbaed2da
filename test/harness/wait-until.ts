/** Waits for what other processes bring about, however busy the machine is. */

/** Generous: another process may have the machine for a while. */
const usualMs = 20_000;
const pauseMs = 20;

/** @throws when it does not come to hold in time, which is 20 seconds unless said otherwise */
export async function waitUntil(holds: () => Promise<boolean>, withinMs = usualMs): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt)
      throw new Error(`It did not come to hold within ${withinMs} ms: ${String(holds)}`);
    await Bun.sleep(pauseMs);
  }
}
