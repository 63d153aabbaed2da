/** Makes the pack of a hub from its own secret, tries it, and writes it into the folder of packs. */
import { createHmac } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { findKindFaults } from '../check-kind.ts';
import { dataEnding, retiredFolder } from '../load-packs.ts';
import { checkOffice } from './check-office.ts';
import { drawOfficePack, type OfficePack, officeOf, policyCategoryOf } from './office-pack.ts';

interface NewOfficePack {
  /** The name of the pack. */
  readonly name: string;
  readonly data: OfficePack;
  readonly tasks: number;
  /** As sentences; the pack is not written if there are any. */
  readonly faults: readonly string[];
}

const policySeeds = 2;
const weeks = 3;
/** A draw in which the reference missed something is thrown away. */
const drawsMax = 3;

/**
 * The next pack of a hub: from the same secret, each has other words and rules than those before it.
 *
 * @param folder EVAL_PACKS_DIR
 * @param secretKey SECRET_KEY
 */
export function makeOfficePack(folder: string, secretKey: string): NewOfficePack {
  const name = `private-${countRetired(folder) + 1}`;
  let made = tryDraw(name, secretKey, 1);
  for (let draw = 2; draw <= drawsMax && made.faults.length > 0; draw += 1)
    made = tryDraw(name, secretKey, draw);
  return made;
}

function tryDraw(name: string, secretKey: string, draw: number): NewOfficePack {
  const label = `eval-pack/${name}/${draw}`;
  const secretOf = (what: string) => createHmac('sha256', secretKey).update(what).digest('hex');
  // The seeds follow from the secret too, so that the same one always comes to the same draw.
  const seedsOf = (what: string, count: number) =>
    Array.from({ length: count }, (_, index) => secretOf(`${label}/${what}/${index}`).slice(0, 32));
  const data = drawOfficePack(secretOf(label));
  const { kinds } = policyCategoryOf(data);
  const seeds = seedsOf('cases', policySeeds);
  const office = checkOffice(officeOf(data), seedsOf('weeks', weeks));
  const faults = kinds.flatMap((kind) => seeds.flatMap((seed) => findKindFaults(kind, seed)));
  return { name, data, tasks: office.tasks, faults: [...faults, ...office.faults] };
}

/** @returns the file; only its user may read it */
export function writeOfficePack(folder: string, { name, data }: NewOfficePack): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}${dataEnding}`);
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(data, null, 1)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // A process that starts meanwhile sees the whole file or none.
  renameSync(draft, path);
  return path;
}

/** Packs of data that were retired. */
function countRetired(folder: string): number {
  const old = join(folder, retiredFolder);
  if (!existsSync(old)) return 0;
  return readdirSync(old).filter((name) =>
    readdirSync(join(old, name)).some((file) => file.endsWith(dataEnding)),
  ).length;
}
