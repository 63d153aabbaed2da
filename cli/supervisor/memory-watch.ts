/** Notices that a process has grown too large, while the machine still has memory for the others. */
import { readFileSync } from 'node:fs';

export interface MemoryWatch {
  /** To be called with what the process says of itself, in bytes. */
  told(residentBytes: number): void;
  start(): void;
  stop(): void;
  /** How large it was when it was found too large, in megabytes; null: it never was. */
  foundMb(): number | null;
}

export interface MemoryWatchOptions {
  readonly pid: number;
  /** Null: it may grow as it likes. */
  readonly maxMb: number | null;
  /** It has been above the bound for a while: time to end in order. */
  readonly onTooLarge: () => void;
  /** It is so far above that there may be no time for that. */
  readonly onFarTooLarge: () => void;
}

const lookEveryMs = 2_000;
/** So many looks in a row, so that a moment's work on something large is no reason to end. */
const looksTooLarge = 2;
const farTooLarge = 2;
const bytesInMb = 1024 * 1024;
const bytesInKib = 1024;

export function watchMemory({ pid, maxMb, onTooLarge, onFarTooLarge }: MemoryWatchOptions): MemoryWatch {
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
    told: (bytes) => {
      toldBytes = bytes;
    },
    start: () => {
      if (maxMb !== null) timer = setInterval(look, lookEveryMs, maxMb);
    },
    stop: () => clearInterval(timer),
    foundMb: () => found,
  };
}

/** As Linux tells it, which holds of a process that says nothing any more too; null elsewhere. */
function residentBytes(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * bytesInKib;
  } catch {
    return null; // It has ended, or there is no /proc.
  }
}
