/** Makes a folder for the tests of a file. */
import { afterAll } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns the path of a folder that is removed after the tests */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
