/** Replies that pass once a change is taken back. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { type Undo, undos } from '../undo.ts';
import { short } from './same-reply.ts';

export const undone: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ reply }) => reply !== null);
  let best: { undo: Undo; fits: readonly Observation[] } | null = null;
  for (const undo of undos) {
    const changed = failed.filter(({ reply }) => isChange(undo, reply ?? ''));
    const fits = failed.filter(({ undone: names }) => names.includes(undo.name));
    if (fits.length < fewestCases || fits.length < changed.length / 2) continue;
    if (best === null || fits.length > best.fits.length) best = { undo, fits };
  }
  if (best === null) return null;
  const { undo, fits } = best;
  const [example] = fits;
  const after = example?.reply ?? '';
  return {
    sentence: undo.sentence,
    look_at: undo.look_at,
    cases: idsOf(fits),
    change: { before: short(undo.undo(after) ?? ''), after: short(after) },
    certainty: 'certain',
  };
};

function isChange({ undo }: Undo, reply: string): boolean {
  const before = undo(reply);
  return before !== null && before !== reply;
}
