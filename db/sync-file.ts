import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes a file durable, or the names in a folder. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
