/** The command line of `workers/main.ts`. */
import { parseArgs } from 'node:util';
import { isPoolName, type PoolName, poolNames, pools } from './pool-registry.ts';

export interface WorkerArguments {
  readonly pools: readonly PoolName[];
  /** Null: each pool's own. */
  readonly concurrency: number | null;
  /** Where the process answers `/livez`, `/readyz` and `/metrics`; 0 lets the system choose, null: nowhere. */
  readonly metricsPort: number | null;
}

export const concurrencyMax = 1_000;
const portMax = 65_535;

/** What is wrong with the command line, in words for the operator. */
export class WorkerArgumentsError extends Error {
  override readonly name = 'WorkerArgumentsError';
}

export const workerHelp = `Runs pools of workers of the hub.

  ${Bun.isStandaloneExecutable ? 'hub worker' : 'bun workers/main.ts'} --pool NAME [--pool NAME …] [--concurrency N] [--metrics-port N]

  --pool NAME      a pool to run in this process; give it again for more
  --concurrency N  jobs at once in each of them, 1 to ${concurrencyMax}
  --metrics-port N answer /livez, /readyz and /metrics on this port of HOST, as the API does; 0: any free one
  --help           this text

Pools:
${poolNames.map((name) => `  ${name.padEnd(16)} ${pools[name].about} (concurrency ${pools[name].concurrency})`).join('\n')}
`;

/**
 * @returns null when help was asked for
 * @throws WorkerArgumentsError
 */
export function parseWorkerArguments(words: readonly string[]): WorkerArguments | null {
  const { values } = parse(words);
  if (values.help === true) return null;
  const named = [...new Set(values.pool ?? [])];
  if (named.length === 0) throw new WorkerArgumentsError('Name at least one pool with --pool.');
  const unknown = named.filter((name) => !isPoolName(name));
  if (unknown.length > 0) {
    throw new WorkerArgumentsError(
      `Unknown pool: ${unknown.join(', ')}. There are: ${poolNames.join(', ')}.`,
    );
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
  throw new WorkerArgumentsError(`${option} must be a whole number from ${min} to ${max}; it is ${text}.`);
}
