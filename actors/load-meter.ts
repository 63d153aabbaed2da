/** Measures whether a worker process has more to do than it can. */
import { busyFromPercent } from './limits.ts';

export interface LoadMeter {
  /** Records that an actor found no free slot. */
  noteFull(): void;
  /** Whether the process has been busy since the last call. */
  isBusy(): boolean;
}

export interface CpuReading {
  /** CPU time of the process, of all its threads. */
  readonly usedMs: number;
  readonly atMs: number;
}

export function createLoadMeter(read: () => CpuReading = readCpu): LoadMeter {
  let last = read();
  let wasFull = false;
  return {
    noteFull: () => {
      wasFull = true;
    },
    isBusy: () => {
      const now = read();
      const isHot = (now.usedMs - last.usedMs) * 100 > (now.atMs - last.atMs) * busyFromPercent;
      const isBusy = isHot || wasFull;
      last = now;
      wasFull = false;
      return isBusy;
    },
  };
}

export const neverBusy: LoadMeter = { noteFull: () => undefined, isBusy: () => false };

function readCpu(): CpuReading {
  const { user, system } = process.cpuUsage();
  return { usedMs: (user + system) / 1_000, atMs: performance.now() };
}
