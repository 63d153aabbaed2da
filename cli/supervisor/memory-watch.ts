/** Detects a process that has grown too large, while the machine still has memory for the others. */
import { readFileSync } from 'node:fs';

interface MemoryWatchOptions {
  readonly pid: number;
  /** Null: no limit. */
  readonly maxMb: number | null;
  /** Called when it has been over the limit for a while: stop it in order. */
  readonly onTooLarge: () => void;
  /** Called when it is so far over the limit that there may be no time for that. */
  readonly onFarTooLarge: () => void;
}

const lookEveryMs = 2_000;
/** Consecutive checks over the limit, so that a short peak does not cause a restart. */
const looksTooLarge = 2;
const farTooLarge = 2;
const bytesInMb = 1024 * 1024;
const bytesInKib = 1024;

export function watchMemory({ pid, maxMb, onTooLarge, onFarTooLarge }: MemoryWatchOptions) {
  let toldBytes = 0;
  let looks = 0;
  let found: number | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = (max: number): void => {
    const mb = (residentBytes(pid) ?? toldBytes) / bytesInMb;
    looks = mb > max ? looks + 1 : 0;
    const isFar = mb > max * farTooLarge;
    if (!isFar && (looks < looksTooLarge || found !== null)) return;
    found = Math.round(mb);
    if (isFar) onFarTooLarge();
    else onTooLarge();
  };
  return {
    /** Call this with the resident memory that the process reports. */
    told: (bytes: number) => {
      toldBytes = bytes;
    },
    start: () => {
      if (maxMb !== null) timer = setInterval(look, lookEveryMs, maxMb);
    },
    stop: () => clearInterval(timer),
    /** Its size when it was found too large; null if it never was. */
    foundMb: () => found,
  };
}

/**
 * Read from /proc, which also works for a process that no longer responds; null on other systems than Linux.
 */
function residentBytes(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * bytesInKib;
  } catch {
    return null; // The process has ended, or there is no /proc.
  }
}
