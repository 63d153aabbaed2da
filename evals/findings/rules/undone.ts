/** Replies that pass once a change is taken back. */
import type { Observation } from '../observation.ts';
import { failedOf, fewestCases, found, type Rule, short } from '../rule.ts';
import { type Undo, undos } from '../undo.ts';

export const undone: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ reply }) => reply !== null);
  const [best] = undos
    .map((undo) => ({ undo, fits: failed.filter(({ undone: names }) => names.includes(undo.name)) }))
    .filter(({ undo, fits }) => {
      const changed = failed.filter((one) => isChanged(undo, one)).length;
      return fits.length >= fewestCases && fits.length >= changed / 2;
    })
    .toSorted((one, other) => other.fits.length - one.fits.length);
  if (best === undefined) return null;
  const { undo, fits } = best;
  const after = fits[0]?.reply ?? '';
  const change = { before: short(undo.undo(after) ?? ''), after: short(after) };
  return found(fits, undo.sentence, undo.look_at, { change });
};

function isChanged({ undo }: Undo, { reply }: Observation): boolean {
  const before = undo(reply ?? '');
  return before !== null && before !== reply;
}
