/** Parses the command line of `workers/main.ts`. */
import { parseArgs } from 'node:util';
import { isPoolName, type PoolName, poolNames, pools } from './pool-registry.ts';

export interface WorkerArguments {
  readonly pools: readonly PoolName[];
  /** Null: the default of each pool. */
  readonly concurrency: number | null;
  /** Port for `/livez`, `/readyz` and `/metrics`; 0 picks a free port, null serves none of them. */
  readonly metricsPort: number | null;
}

export const concurrencyMax = 1_000;
const portMax = 65_535;

/** Its message is shown to the operator, followed by the help text. */
export class WorkerArgumentsError extends Error {
  override readonly name = 'WorkerArgumentsError';
}

export const workerHelp = `Runs one or more pools of workers.

Usage:
  ${Bun.isStandaloneExecutable ? 'hub worker' : 'bun workers/main.ts'} --pool NAME [--pool NAME …] [options]

Options:
  --pool NAME          Pool to run in this process; repeat to run several
  --concurrency N      Jobs that each pool handles at once, 1 to ${concurrencyMax}
  --metrics-port PORT  Serve /livez, /readyz and /metrics on this port of HOST; 0 picks a free port
  --help               Show this help

Pools (default concurrency):
${poolNames.map((name) => `  ${name.padEnd(20)} ${pools[name].about} (${pools[name].concurrency})`).join('\n')}
`;

/**
 * @returns null if `--help` was given
 * @throws WorkerArgumentsError
 */
export function parseWorkerArguments(words: readonly string[]): WorkerArguments | null {
  const { values } = parse(words);
  if (values.help === true) return null;
  const named = [...new Set(values.pool ?? [])];
  if (named.length === 0) throw new WorkerArgumentsError('No pool given. Name at least one with --pool.');
  const unknown = named.filter((name) => !isPoolName(name));
  if (unknown.length > 0) {
    throw new WorkerArgumentsError(`Unknown pool: ${unknown.join(', ')}. Pools: ${poolNames.join(', ')}.`);
  }
  return {
    pools: named.filter(isPoolName),
    concurrency: readNumber('--concurrency', values.concurrency, 1, concurrencyMax),
    metricsPort: readNumber('--metrics-port', values['metrics-port'], 0, portMax),
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        pool: { type: 'string', multiple: true },
        concurrency: { type: 'string' },
        'metrics-port': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new WorkerArgumentsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readNumber(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new WorkerArgumentsError(`${option} must be a whole number from ${min} to ${max}, but is ${text}.`);
}
