/** Knows the cases of eval runs by their seeds, so that a test target can answer as well or as badly as a test needs. */
import type { HealthCase } from '#evals/health/health-case.ts';
import { planHealthCheck } from '#evals/health/health-check.ts';

export interface BookedTurn {
  readonly asked: HealthCase;
  /** Of the case in its run, from 0. */
  readonly place: number;
  /** From 0. */
  readonly turn: number;
  /** A reply to this turn with which the case passes. */
  readonly best: string;
}

const plannedRuns = { maxPromptTokens: 8_000, size: 'long', tools: false, inARow: false } as const;

/** @param seeds of runs of any size; may grow later */
export function openAnswerBook(seeds: () => Iterable<string>) {
  const turns = new Map<string, BookedTurn>();
  const known = new Set<string>();

  function learn(seed: string): void {
    known.add(seed);
    const cases = planHealthCheck({ seed, ...plannedRuns }, () => true);
    for (const [place, asked] of cases.entries()) {
      for (const turn of asked.turns.keys()) {
        const isLast = turn === asked.turns.length - 1;
        const best = (isLast ? asked.accepted[0] : asked.sent.earlier?.[turn]) ?? 'Noted.';
        turns.set(keyOf(asked.turns.slice(0, turn + 1)), { asked, place, turn, best });
      }
    }
  }

  return {
    /** @param prompts what the user has said so far */
    find: (prompts: readonly string[]): BookedTurn | undefined => {
      const key = keyOf(prompts);
      if (!turns.has(key)) for (const seed of seeds()) if (!known.has(seed)) learn(seed);
      return turns.get(key);
    },
  };
}

/** The lengths of prompts depend on earlier verdicts, but the words that are marked in them do not. */
function keyOf(prompts: readonly string[]): string {
  const marked = [...(prompts[0] ?? '').matchAll(/^Mark: (\w+)$/gm)].map(([, word]) => word);
  return marked.length > 3 ? `marks ${marked.join(' ')}` : JSON.stringify(prompts);
}
