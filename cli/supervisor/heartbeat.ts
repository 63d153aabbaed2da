/** Detects a process that has gone silent: it spins, is stopped, or hangs in a call that never returns. */

const checksPerSilence = 5;

/**
 * Counts silence in checks rather than by the clock. If this process got no CPU time either (a suspended
 * laptop, an overloaded machine), that counts as one check, and heartbeats that arrived meanwhile are read
 * first.
 */
export function watchHeartbeat(silenceMaxMs: number, onLost: () => void) {
  let silentLooks = 0;
  let lost = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = (): void => {
    silentLooks += 1;
    if (silentLooks <= checksPerSilence || lost) return;
    lost = true;
    onLost();
  };
  return {
    /** Call this for every sign of life. */
    heard: () => {
      silentLooks = 0;
    },
    /** Starts counting silence. */
    start: () => {
      timer = setInterval(look, silenceMaxMs / checksPerSilence);
    },
    stop: () => clearInterval(timer),
    /** Whether the process was silent for too long. */
    isLost: () => lost,
  };
}
