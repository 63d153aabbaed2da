/** What the files in `deploy/` say to the binary, held to what it understands. */
import { isHubProgram } from '#cli/run-hub-program.ts';
import { parseWorkerArguments } from '#workers/arguments.ts';

/** @returns what is wrong with the words behind `hub`; null when it would run them */
export function faultOfWords(words: readonly string[]): string | null {
  const [name = '', ...rest] = words;
  if (name === 'worker') return faultOfWorker(rest);
  if (name === 'health') {
    const isKnown = /^(--live )?(--port \d+ )?$/.test(rest.map((word) => `${word} `).join(''));
    return isKnown ? null : `hub health ${rest.join(' ')}`;
  }
  return isHubProgram(name) && rest.length === 0 ? null : `hub ${words.join(' ')}`;
}

function faultOfWorker(words: readonly string[]): string | null {
  try {
    return parseWorkerArguments(words) === null ? 'hub worker --help' : null;
  } catch (error) {
    return String(error);
  }
}

/** The port that a worker tells its operators on, or that its health is asked on. */
export function portIn(words: readonly string[]): string | undefined {
  return words[words.findIndex((word) => word === '--metrics-port' || word === '--port') + 1];
}

/** The pool that a worker runs; null for what is none. */
export function poolIn(words: readonly string[]): string | null {
  return words[0] === 'worker' ? (parseWorkerArguments(words.slice(1))?.pools.join('+') ?? null) : null;
}
