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
export function stateOf({ paths, except }: Watched): string {
  const seen: string[] = [];
  const own = new Set(except.map((path) => resolve(path)));
  const look = (path: string, depth: number): void => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || seen.length >= filesMax || own.has(resolve(path))) return;
    if (!found.isDirectory()) seen.push(`${path} ${found.mtimeMs} ${found.size}`);
    else if (depth < 16)
      for (const name of readdirSync(path)) if (!isLeftOut(name)) look(join(path, name), depth + 1);
  };
  for (const path of paths) look(path, 0);
  return seen.map((line) => `${line}\n`).join('');
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

/** Resolves once the files differ from `before` and no longer change, because editors write in several steps. */
export async function untilChanged(watched: Watched, before: string, signal: AbortSignal): Promise<void> {
  let last = before;
  for (;;) {
    await pause(lookEveryMs, signal);
    const now = stateOf(watched);
    if (now !== before && now === last) return;
    last = now;
  }
}
