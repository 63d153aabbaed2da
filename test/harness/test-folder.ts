/** A new folder for the tests of a file or a group, which is removed after them. */
import { afterAll } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Hooks run in the order of their declaration: what has files in it must be ended by an earlier `afterAll`. */
export function useTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
