/** The command line of the benchmark. */
import { parseArgs } from 'node:util';
import { historyFile } from './history.ts';
import { type MeasureName, measures } from './measures/measures.ts';
import { type SizeName, sizes } from './sizes.ts';

export interface BenchArguments {
  readonly size: SizeName;
  readonly only: readonly MeasureName[];
  readonly stores: readonly StoreName[];
  /** Where runs are kept; null when this one is not to be. */
  readonly history: string | null;
}

export const storeNames = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof storeNames)[number];

// The keys of an object literal are exactly its type's.
const measureNames = Object.keys(measures) as readonly MeasureName[];
const sizeNames = Object.keys(sizes) as readonly SizeName[];

/** What is wrong with the command line, in words. */
export class BenchArgumentsError extends Error {
  override readonly name = 'BenchArgumentsError';
}

export const benchHelp = `Measures the hub beside bare baselines; see bench/README.md.

  bun bench/main.ts [--size ${sizeNames.join('|')}] [--only MEASURE …] [--store ${storeNames.join('|')} …] [--history FILE|off]

  --size   smoke: that all works, no more; small (the default): two minutes or so; full: some minutes, for numbers to keep
  --only   measure this alone; may be given again. There are:
${measureNames.map((name) => `           ${name.padEnd(12)} ${measures[name].about}`).join('\n')}
  --store  on this store alone; may be given again
  --history  the file that keeps what each run has found, or \`off\`; bench/history.jsonl, save for size smoke
`;

/**
 * @returns null when help was asked for
 * @throws BenchArgumentsError
 */
export function parseBenchArguments(words: readonly string[]): BenchArguments | null {
  const { values } = parse(words);
  if (values.help === true) return null;
  const size = oneOf('--size', sizeNames, values.size ?? 'small');
  return {
    size,
    only: someOf('--only', measureNames, values.only),
    stores: someOf('--store', storeNames, values.store),
    history: historyOf(size, values.history),
  };
}

/** Figures of the smallest size say nothing, and are kept only where that is asked for. */
function historyOf(size: SizeName, given: string | undefined): string | null {
  if (given === 'off') return null;
  if (given === '') throw new BenchArgumentsError('--history must be the name of a file, or off.');
  return given ?? (size === 'smoke' ? null : historyFile);
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        size: { type: 'string' },
        only: { type: 'string', multiple: true },
        store: { type: 'string', multiple: true },
        history: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new BenchArgumentsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** All of them when none was named. */
function someOf<Name extends string>(
  option: string,
  names: readonly Name[],
  given: readonly string[] = names,
): readonly Name[] {
  return given.map((name) => oneOf(option, names, name));
}

function oneOf<Name extends string>(option: string, names: readonly Name[], given: string): Name {
  const name = names.find((known) => known === given);
  if (name === undefined) throw new BenchArgumentsError(`${option} must be one of: ${names.join(', ')}.`);
  return name;
}
