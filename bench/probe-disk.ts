/** The time of a small synced write, a lower bound for every durable commit on this machine. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './compare-rounds.ts';

const writes = 100;
const pageBytes = 4_096;

/** @returns milliseconds, the median of 100 writes of 4 KiB */
export function probeDisk(folder: string): number {
  const file = openSync(join(folder, 'probe'), 'w');
  const page = Buffer.alloc(pageBytes, 1);
  const times = Array.from({ length: writes }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}
