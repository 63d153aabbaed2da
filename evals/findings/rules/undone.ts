/** Replies that pass once a change is taken back. */
import { bestFit, failedOf, found, type Rule, short } from '../rule.ts';
import { undos } from '../undo.ts';

export const undone: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ reply }) => reply !== null);
  const best = bestFit(undos, failed, {
    fits: ({ undone: names }, { name }) => names.includes(name),
    changed({ reply }, { undo }) {
      const before = undo(reply ?? '');
      return before !== null && before !== reply;
    },
  });
  if (best === undefined) return null;
  const { change: undo, those } = best;
  const after = those[0]?.reply ?? '';
  const change = { before: short(undo.undo(after) ?? ''), after: short(after) };
  return found(those, undo.sentence, undo.look_at, { change });
};
