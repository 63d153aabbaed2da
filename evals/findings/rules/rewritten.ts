/** Texts that are not the same when they come back: the agent was to copy them. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { type Rewrite, rewrites } from '../rewrites.ts';
import { short } from './same-reply.ts';

export const rewritten: Rule = (seen) => {
  const copies = seen.filter(({ sent, reply }) => sent.copied !== undefined && reply !== null);
  const failed = failedOf(copies);
  let best: { rewrite: Rewrite; fits: readonly Observation[] } | null = null;
  for (const rewrite of rewrites) {
    const changed = failed.filter(({ sent }) => rewrite.apply(sent.copied ?? '') !== sent.copied);
    const fits = failed.filter((one) => isRewritten(one, rewrite));
    if (fits.length < fewestCases || fits.length < changed.length / 2) continue;
    if (best === null || fits.length > best.fits.length) best = { rewrite, fits };
  }
  if (best === null) return null;
  const [example] = best.fits.toSorted(
    (one, other) => (one.sent.copied?.length ?? 0) - (other.sent.copied?.length ?? 0),
  );
  return {
    sentence: best.rewrite.sentence,
    look_at: best.rewrite.look_at,
    cases: idsOf(best.fits),
    change: changeOf(example?.sent.copied ?? '', example?.reply ?? ''),
    certainty: 'certain',
  };
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

/** Both texts around the first place in which they differ. */
function changeOf(before: string, after: string): { readonly before: string; readonly after: string } {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 20);
  return { before: short(before.slice(from, at + 40)), after: short(after.slice(from, at + 40)) };
}
