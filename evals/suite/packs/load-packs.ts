/**
 * Loads the packs of an operator. The files of the installed pack are in the folder itself, those of each retired pack
 * in a folder of `retired/`. A `.ts` file exports a `category`, like those of the suite; files whose names begin with `_`
 * hold shared code. A `.pack.json` file holds the words and rules of an office.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '#runtime/process/start-error.ts';
import { ladderCategories, ladderCategory } from '../ladder/ladder.ts';
import { isCategory } from '../load-tasks.ts';
import type { Category } from '../task.ts';
import * as authorTools from './author-tools.ts';
import { findKindFaults } from './check-kind.ts';
import { type OfficePack, officeOf, policyCategoryOf, readOfficePack } from './office/office-pack.ts';
import { type EvalPacks, type Pack, packRoomMin } from './pack.ts';
import { readPackNorms } from './pack-norms.ts';

export const retiredFolder = 'retired';
const filesMax = 32;
const fileBytesMax = 512 * 1024;
const retiredMax = 64;
const filePattern = /^_?[a-z0-9][a-z0-9-]{0,39}(?:\.[a-z0-9-]{1,40})?\.(?:ts|pack\.json)$/;
/** Ends the names of files of data. */
export const dataEnding = '.pack.json';
/** The seed with which each level of each kind is tried at every start. */
const startSeed = '0'.repeat(32);
const dataLevel = 4;

/**
 * @param publicKinds the names that a pack cannot use, because everybody knows these kinds
 * @throws StartError when a file is not a valid pack, naming the file and the reason
 */
export async function loadPacks(folder: string, publicKinds: ReadonlySet<string>): Promise<EvalPacks> {
  const installed = await loadPack(folder, publicKinds, { retired: false });
  const old = join(folder, retiredFolder);
  const names = existsSync(old) ? readdirSync(old).toSorted() : [];
  if (names.length > retiredMax)
    throw wrong(old, `it has ${names.length} packs; the limit is ${retiredMax}.`);
  const retired: Pack[] = [];
  for (const name of names) {
    const pack = await loadRetired(join(old, name), publicKinds);
    if (pack !== null) retired.push(pack);
  }
  return { installed, retired };
}

/** An office of an earlier version may lack chapters of this one. Its runs are of that version too, so nothing needs it. */
async function loadRetired(folder: string, publicKinds: ReadonlySet<string>): Promise<Pack | null> {
  try {
    return await loadPack(folder, publicKinds, { retired: true });
  } catch (error) {
    if (error instanceof StartError && packFilesIn(folder).some((file) => file.endsWith(dataEnding)))
      return null;
    throw error;
  }
}

/** @returns null if the folder has no pack */
export async function loadPack(
  folder: string,
  publicKinds: ReadonlySet<string>,
  { retired }: { readonly retired: boolean },
): Promise<Pack | null> {
  const files = packFilesIn(folder);
  if (files.length === 0) return null;
  offerAuthorTools();
  const hash = hashOf(folder, files);
  const [data, ...more] = files.filter((file) => file.endsWith(dataEnding));
  if (more.length > 0) throw wrong(folder, 'it has two files of data; a hub has one office.');
  const written = await Promise.all(
    files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('_'))
      .map((file) => importCategory(folder, file)),
  );
  const office = data === undefined ? null : readData(join(folder, data));
  const own = office === null ? [] : [policyCategoryOf(office)];
  refuseWrongKinds(folder, [...written, ...own], publicKinds);
  if (office === null) refuseSmallPack(folder, written);
  if (!retired) refuseFaults(folder, { written, own });
  return {
    name: nameOf(files),
    hash,
    retired,
    categories: mergeCategories([...written, ...own]),
    office: office === null ? null : officeOf(office),
    norms: readPackNorms(folder, hash),
  };
}

/** In order; empty if there is no such folder. */
export function packFilesIn(folder: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  const files = readdirSync(folder)
    .filter((name) => (name.endsWith('.ts') && !name.endsWith('.d.ts')) || name.endsWith(dataEnding))
    .toSorted();
  if (files.length > filesMax) throw wrong(folder, `it has ${files.length} files; the limit is ${filesMax}.`);
  for (const file of files) {
    if (!filePattern.test(file))
      throw wrong(
        join(folder, file),
        'its name must be lower-case letters, digits and hyphens, such as `autumn.text.ts` or `autumn.pack.json`.',
      );
    if (statSync(join(folder, file)).size > fileBytesMax)
      throw wrong(join(folder, file), `it is larger than ${fileBytesMax} bytes.`);
  }
  return files;
}

function hashOf(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** `autumn.text.ts` and `autumn.reasoning.ts` are the pack `autumn`. */
function nameOf(files: readonly string[]): string {
  const stems = files.filter((file) => !file.startsWith('_')).map((file) => file.split('.')[0] ?? file);
  return [...new Set(stems)].join('+');
}

function readData(path: string): OfficePack {
  try {
    return readOfficePack(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw wrong(path, error.message);
  }
}

async function importCategory(folder: string, file: string): Promise<Category> {
  const path = join(folder, file);
  let exported: unknown;
  try {
    const module: unknown = await import(path);
    exported =
      typeof module === 'object' && module !== null && 'category' in module ? module.category : undefined;
  } catch (error) {
    throw wrong(path, `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isCategory(exported)) throw wrong(path, 'it exports no valid `category`.');
  const { name } = exported;
  if (ladderCategories.every((category) => category.name !== name)) {
    const known = ladderCategories.map((category) => category.name).join(', ');
    throw wrong(path, `the suite has no category ${JSON.stringify(name)}. It has ${known}.`);
  }
  return exported;
}

function mergeCategories(categories: readonly Category[]): Category[] {
  const merged = new Map<string, Category>();
  for (const category of categories) {
    const before = merged.get(category.name);
    merged.set(
      category.name,
      before === undefined ? category : { ...before, kinds: [...before.kinds, ...category.kinds] },
    );
  }
  return [...merged.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function refuseWrongKinds(
  folder: string,
  categories: readonly Category[],
  publicKinds: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const { name } of kindsOf(categories)) {
    if (publicKinds.has(name))
      throw wrong(
        folder,
        `the kind ${name} is public, in the suite or in its example pack, so it cannot count as unseen.`,
      );
    if (seen.has(name)) throw wrong(folder, `two kinds are called ${name}.`);
    seen.add(name);
  }
}

function refuseSmallPack(folder: string, categories: readonly Category[]): void {
  const room = mergeCategories(categories).reduce((sum, { name }) => sum + ladderCategory(name).cases, 0);
  if (room < packRoomMin)
    throw wrong(
      folder,
      `its categories have ${room} of a run's 40 cases; it needs kinds in more categories, for at least ${packRoomMin} cases.`,
    );
}

interface KindsByOrigin {
  readonly written: readonly Category[];
  readonly own: readonly Category[];
}

const kindsOf = (categories: readonly Category[]) => categories.flatMap(({ kinds }) => kinds);

/** Kinds of data are code of the hub, and a task of theirs takes a while, so one level of them is tried. */
function refuseFaults(folder: string, { written, own }: KindsByOrigin): void {
  const [fault] = [
    ...kindsOf(written).flatMap((kind) => findKindFaults(kind, startSeed)),
    ...kindsOf(own).flatMap((kind) => findKindFaults(kind, startSeed, [dataLevel])),
  ];
  if (fault !== undefined) throw wrong(folder, fault);
}

let offered = false;

/** Packs are outside the hub's folder, and the compiled binary has no folder at all. */
function offerAuthorTools(): void {
  if (offered) return;
  offered = true;
  Bun.plugin({
    name: 'author tools',
    setup: (build) => {
      build.module('agent-hub/eval-suite', () => ({ exports: { ...authorTools }, loader: 'object' }));
    },
  });
}

function wrong(path: string, reason: string): StartError {
  return new StartError(
    `The eval pack at ${path} is wrong: ${reason} Fix it, or move it out of EVAL_PACKS_DIR. \`hub eval-pack check <folder>\` shows details.`,
    { isSetting: true },
  );
}
