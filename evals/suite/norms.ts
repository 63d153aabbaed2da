/**
 * The scores of reference agents on this version of the suite, shown next to every score. `bun cli/eval-norms.ts`
 * measures them, and a test compares the file with the measurement.
 */
import measured from './norms/measured-norms.json' with { type: 'json' };
import { type Pack, packCasesOf } from './packs/pack.ts';
import { roundToTenth } from './round-to-tenth.ts';
import type { Norm } from './scorecard/score-json-schema.ts';

/** For runs without a private pack. */
export const norms: readonly Norm[] = normsWith(null);

/** Without a private pack, `unseen` is the agents' score on the public example pack, for information only. */
export function normsWith(pack: Pack | null): readonly Norm[] {
  return measured.norms.map(({ name, known, example }) => {
    if (pack === null) return { name, score: known, known, unseen: example };
    const unseen = pack.norms?.get(name) ?? null;
    const share = unseen === null ? 0 : packCasesOf(40, pack.categories) / 40;
    return { name, score: roundToTenth((1 - share) * known + share * (unseen ?? 0)), known, unseen };
  });
}
