/** The scores of reference agents on a pack: measured once by `hub eval-pack check`, and stored beside the pack. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = 'norms.json';

export function writePackNorms(folder: string, hash: string, norms: ReadonlyMap<string, number>): string {
  const path = join(folder, file);
  writeFileSync(path, `${JSON.stringify({ hash, norms: Object.fromEntries(norms) }, null, 2)}\n`);
  return path;
}

/** @returns null if the pack has not been measured in its current state */
export function readPackNorms(folder: string, hash: string): ReadonlyMap<string, number> | null {
  const path = join(folder, file);
  if (!existsSync(path)) return null;
  const parsed = parse(readFileSync(path, 'utf8'));
  if (typeof parsed !== 'object' || parsed === null || !('hash' in parsed) || parsed.hash !== hash)
    return null;
  if (!('norms' in parsed) || typeof parsed.norms !== 'object' || parsed.norms === null) return null;
  const norms = Object.entries(parsed.norms).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 0 && entry[1] <= 100,
  );
  return new Map(norms);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
