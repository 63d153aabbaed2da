/** Notices that a process has fallen silent: it spins, was stopped, or hangs in a call that never returns. */

export interface Heartbeat {
  /** To be called for everything that is heard of the process. */
  heard(): void;
  /** Begins to count silence. */
  start(): void;
  stop(): void;
  /** Whether the silence became too long. */
  isLost(): boolean;
}

/** So many looks make up the longest silence. */
const checksPerSilence = 10;

/**
 * Silence is counted in looks and not read off a clock: after a time in which this process got no turn either (a laptop
 * that slept, a machine with too much to do) there was one look, and the heartbeats that came meanwhile are heard first.
 */
export function watchHeartbeat(silenceMaxMs: number, onLost: () => void): Heartbeat {
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
    heard: () => {
      silentLooks = 0;
    },
    start: () => {
      timer = setInterval(look, silenceMaxMs / checksPerSilence);
    },
    stop: () => clearInterval(timer),
    isLost: () => lost,
  };
}
