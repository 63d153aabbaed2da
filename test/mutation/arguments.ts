/** What `npm run mutate` is asked for. */
import { parseArgs } from 'node:util';
import { areas, type Area } from './areas.ts';

export interface MutateArguments {
  readonly areas: readonly Area[];
  /** Only mutants whose `file:line` has one of them; all where there is none. */
  readonly words: readonly string[];
  /** How many to draw of each area; null for all. */
  readonly sample: number | null;
  /** What the sample is drawn by. */
  readonly seed: number;
  readonly places: number;
}

const names = areas.map(({ name }) => name).join(', ');

export const mutateHelp = `npm run mutate -- [--area NAME]… [--sample N] [--seed S] [--places N] [WORD]…

Puts small faults into the code, one at a time, and runs the tests that have to see them. Fewer than one in ten may survive in
each area.

  --area NAME   ${names}; all of them unless named
  --sample N    only N mutants of each area, drawn by a seed, and tells which
  --seed S      the seed of the sample; drawn and told unless given
  --places N    how many mutants are tried at once; 2 unless given
  WORD          only mutants whose place has it: read-json, ledger.ts, ledger.ts:120`;

/** Says what is wrong with the words. */
export class MutateArgumentsError extends Error {
  override readonly name = 'MutateArgumentsError';
}

/** @returns null when help is asked for @throws MutateArgumentsError */
export function parseMutateArguments(given: readonly string[]): MutateArguments | null {
  const { values, positionals } = read(given);
  if (values.help === true) return null;
  const wanted = values.area ?? areas.map(({ name }) => name);
  return {
    areas: wanted.map((name) => {
      const area = areas.find((one) => one.name === name);
      if (area === undefined)
        throw new MutateArgumentsError(`--area: there is no area "${name}"; there are ${names}.`);
      return area;
    }),
    words: positionals,
    sample: values.sample === undefined ? null : wholeNumber('--sample', values.sample, 1),
    seed: values.seed === undefined ? Date.now() % 1_000_000_000 : wholeNumber('--seed', values.seed, 0),
    places: values.places === undefined ? 2 : wholeNumber('--places', values.places, 1),
  };
}

function read(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        area: { type: 'string', multiple: true },
        sample: { type: 'string' },
        seed: { type: 'string' },
        places: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new MutateArgumentsError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min) return value;
  throw new MutateArgumentsError(`${name}: "${text}" is no whole number from ${min} on.`);
}
