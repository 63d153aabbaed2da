/** Texts that are not the same when they come back: the agent was to copy them. */
import type { Observation } from '../observation.ts';
import { type Rewrite, rewrites } from '../rewrites.ts';
import { bestFit, commonStart, failedOf, found, type Rule, short } from '../rule.ts';

export const rewritten: Rule = (seen) => {
  const failed = failedOf(seen).filter(({ sent, reply }) => sent.copied !== undefined && reply !== null);
  const best = bestFit(rewrites, failed, {
    fits: isRewritten,
    changed: ({ sent: { copied = '' } }, { apply }) => apply(copied) !== copied,
  });
  if (best === undefined) return null;
  const { change: rewrite, those } = best;
  const [example] = those.toSorted(
    (one, other) => (one.sent.copied?.length ?? 0) - (other.sent.copied?.length ?? 0),
  );
  const [before, after] = [example?.sent.copied ?? '', example?.reply ?? ''];
  const at = commonStart([before, after]).length;
  const around = (text: string) => short(text.slice(Math.max(0, at - 20), at + 40));
  const change = { before: around(before), after: around(after) };
  return found(those, rewrite.sentence, rewrite.look_at, { change });
};

function isRewritten({ sent, reply }: Observation, { apply }: Rewrite): boolean {
  const copied = sent.copied ?? '';
  const after = apply(copied);
  return after !== copied && plain(after) === plain(reply ?? '');
}

/** What is taken away may leave spaces behind, and a character may become several question marks. */
function plain(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\?+/g, '?')
    .trim();
}
