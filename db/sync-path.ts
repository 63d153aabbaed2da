import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes a file to the disk; for a folder, the names in it. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
