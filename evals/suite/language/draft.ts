import { maxGeneratorAttempts } from '../../limits.ts';

/**
 * The first draft that is not rejected. Generators reject drafts (`null`) that are degenerate, ambiguous or guessable.
 */
export function firstDraft<Draft>(make: () => Draft | null): Draft {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const draft = make();
    if (draft !== null) return draft;
  }
  throw new Error(`A generator rejected ${maxGeneratorAttempts} drafts.`);
}
