/**
 * Maintainers that the operator has named with `hub maintainers`, besides those in MAINTAINER_DIDS: a file in DATA_DIR with
 * one `did` per line. Processes notice a change at their next request, so that a maintainer needs no restart.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

/** In DATA_DIR. */
const maintainersFile = 'maintainers';
const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

type Source = Pick<Settings, 'dataDir' | 'maintainerDids'>;

/** @returns a function that reads all maintainers */
export function createMaintainerReader({ dataDir, maintainerDids }: Source): () => ReadonlySet<string> {
  const file = join(dataDir, maintainersFile);
  let known = { version: '', dids: new Set(maintainerDids) };
  return () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    const version = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (version !== known.version) {
      known = { version, dids: new Set([...maintainerDids, ...readKeptMaintainers(dataDir)]) };
    }
    return known.dids;
  };
}

export function readKeptMaintainers(dataDir: string): readonly string[] {
  try {
    const lines = readFileSync(join(dataDir, maintainersFile), 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line.startsWith('did:key:'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Replaces the file as a whole, so that no process reads half of it. */
export function keepMaintainers(dataDir: string, dids: readonly string[]): void {
  mkdirSync(dataDir, { recursive: true, mode: ownerOnlyFolder });
  const file = join(dataDir, maintainersFile);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, dids.map((did) => `${did}\n`).join(''), { mode: ownerOnly });
  renameSync(draft, file);
}
