/** The command line of the benchmark. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type MeasureName, measures } from './measures/measures.ts';
import { type SizeName, sizes } from './sizes.ts';

export interface BenchArguments {
  readonly size: SizeName;
  readonly only: readonly MeasureName[];
  readonly stores: readonly StoreName[];
  /** A compiled hub to measure; null to measure the sources. */
  readonly hub: string | null;
}

export const storeNames = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof storeNames)[number];

// These objects have no keys but those of their types.
const measureNames = Object.keys(measures) as readonly MeasureName[];
const sizeNames = Object.keys(sizes) as readonly SizeName[];

/** A problem with the command line. */
export class BenchArgumentsError extends Error {
  override readonly name = 'BenchArgumentsError';
}

export const benchHelp = `Measures the hub and bare baselines. See bench/README.md.

  bun bench/main.ts [--size ${sizeNames.join('|')}] [--only MEASURE …] [--store ${storeNames.join('|')} …] [--hub FILE]

  --size   smoke: checks that everything works; small (default): about two minutes; full: numbers to keep
  --only   run only this measure (repeatable):
${measureNames.map((name) => `           ${name.padEnd(12)} ${measures[name].about}`).join('\n')}
  --store  use only this store (repeatable)
  --hub    measure this compiled hub (\`npm run build\`) instead of the sources
`;

/**
 * @returns null if help was requested
 * @throws BenchArgumentsError
 */
export function parseBenchArguments(words: readonly string[]): BenchArguments | null {
  const { values } = parse(words);
  if (values.help === true) return null;
  return {
    size: oneOf('--size', sizeNames, values.size ?? 'small'),
    only: someOf('--only', measureNames, values.only),
    stores: someOf('--store', storeNames, values.store),
    hub: compiledHub(values.hub),
  };
}

function compiledHub(file: string | undefined): string | null {
  if (file === undefined) return null;
  if (!existsSync(file)) throw new BenchArgumentsError(`--hub: there is no file ${file}.`);
  return resolve(file);
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        size: { type: 'string' },
        only: { type: 'string', multiple: true },
        store: { type: 'string', multiple: true },
        hub: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new BenchArgumentsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** All of them if none is named. */
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
