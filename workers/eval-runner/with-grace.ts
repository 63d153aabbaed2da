/** How long calls in flight may continue after shutdown begins. */
const endingGraceMs = 2_000;

/** Runs `work` with a signal that fires some time after `ending`, and once the work is over. */
export async function withGrace<T>(ending: AbortSignal, work: (over: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onEnding = (): void => {
    timer = setTimeout(() => abort.abort(), endingGraceMs);
  };
  if (ending.aborted) onEnding();
  else ending.addEventListener('abort', onEnding, { once: true });
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', onEnding);
    abort.abort();
  }
}
