/**
 * Private packs: kinds of tasks that only the operator has. Some of every run's cases come from the installed pack,
 * which exposes an agent that was built around the public kinds.
 */
import type { Office } from '../../week/office.ts';
import { ladderCategory, type RunSize } from '../ladder/ladder.ts';
import type { Category } from '../task.ts';

export interface Pack {
  readonly name: string;
  /** The hash of its files. With the version, it identifies the suite of a run. */
  readonly hash: string;
  /** New runs have no cases of a retired pack, and its prompts are shown. */
  readonly retired: boolean;
  readonly categories: readonly Category[];
  /** The office of agent runs; null if the pack has no data for one. */
  readonly office: Office | null;
  /** The scores of reference agents on its kinds, by name; null until `hub eval-pack check` has measured them. */
  readonly norms: ReadonlyMap<string, number> | null;
}

export interface EvalPacks {
  /** Part of every new run. */
  readonly installed: Pack | null;
  readonly retired: readonly Pack[];
}

export const noPacks: EvalPacks = { installed: null, retired: [] };

/** The kinds of `example-pack/`, which shows authors how to write a pack and never counts. */
export const exampleKinds: readonly string[] = [
  'weighed-stones',
  'yard-walk',
  'stitched-letters',
  'shelf-counts',
];

const casesOfForty = 8;

/**
 * The cases of a run that come from a pack. One whose categories have few cases takes half of them, so that public cases
 * remain to compare with.
 */
export function packCasesOf(runSize: RunSize, categories: readonly Category[]): number {
  const room = categories.reduce((sum, { name }) => sum + ladderCategory(name).cases, 0);
  return ((room < casesOfForty ? Math.ceil(room / 2) : casesOfForty) * runSize) / 40;
}

/** The cases of 40 that the files of a pack must have room for. */
export const packRoomMin = casesOfForty;

export function findPack({ installed, retired }: EvalPacks, hash: string): Pack | null {
  return [...(installed === null ? [] : [installed]), ...retired].find((pack) => pack.hash === hash) ?? null;
}

/** The pack, as a run stores and shows it. */
export function identityOf(pack: Pack | null): { name: string; hash: string } | null {
  return pack === null ? null : { name: pack.name, hash: pack.hash };
}
