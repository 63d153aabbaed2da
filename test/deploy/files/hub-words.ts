/** Checks the commands in `deploy/` against the arguments that the hub accepts. */
import { isHubProgram } from '#cli/run-hub-program.ts';
import { parseWorkerArguments } from '#workers/arguments.ts';

/** @returns what is wrong with the arguments of `hub`; null if it would run them */
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

/** The metrics port of a worker, or the port that a health check asks. */
export function portIn(words: readonly string[]): string | undefined {
  return words[words.findIndex((word) => word === '--metrics-port' || word === '--port') + 1];
}

/** The pool that a worker runs; null for other commands. */
export function poolIn(words: readonly string[]): string | null {
  return words[0] === 'worker' ? (parseWorkerArguments(words.slice(1))?.pools.join('+') ?? null) : null;
}
