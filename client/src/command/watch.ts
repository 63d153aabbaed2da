/** Waits for a change of files. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pause } from '../send.ts';

const lookEveryMs = 250;
/** Of a folder with more files, the others are not watched. */
const filesMax = 2_000;

export interface Watched {
  readonly paths: readonly string[];
  /** What the command itself writes. */
  readonly except: readonly string[];
}

/** What the files and folders are like now: two equal states mean that nothing has changed. */
export function stateOf({ paths, except }: Watched): readonly string[] {
  const seen: string[] = [];
  const own = new Set(except.map((path) => resolve(path)));
  const look = (path: string, depth: number): void => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || seen.length >= filesMax || own.has(resolve(path))) return;
    if (!found.isDirectory()) seen.push(fileState(path));
    else if (depth < 16)
      for (const name of readdirSync(path)) if (!isLeftOut(name)) look(join(path, name), depth + 1);
  };
  for (const path of paths) look(path, 0);
  return seen;
}

/** What a file is like now. */
export function fileState(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? path : `${path} ${found.mtimeMs} ${found.size}`;
}

/** The path of a file that differs. */
export function changedIn(before: readonly string[], now: readonly string[]): string | null {
  const [known, found] = [new Set(before), new Set(now)];
  const changed = [...now, ...before].find((state) => !known.has(state) || !found.has(state));
  return changed?.replace(/ [\d.]+ \d+$/, '') ?? null;
}

function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name === '__pycache__';
}

const ctrlC = 3;

/**
 * Reads Ctrl-C as a key while the command waits. The signal would also end the shell in which `npx` runs this program, which
 * `npx` would report.
 * @returns a function that restores the terminal
 */
export function takeCtrlC(stop: () => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  const look = (keys: Buffer): void => {
    if (keys.includes(ctrlC)) stop();
  };
  stdin.setRawMode(true).on('data', look);
  return () => {
    stdin.setRawMode(false).removeListener('data', look).pause();
  };
}

/**
 * Resolves once the files differ from `before` and no longer change, because editors write in several steps.
 * @param look returns what they are like now
 */
export async function untilChanged(
  look: () => readonly string[],
  before: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let last = before;
  for (;;) {
    await pause(lookEveryMs, signal);
    const now = look();
    if (changedIn(before, now) !== null && changedIn(last, now) === null) return;
    last = now;
  }
}
