/** Runs what a transaction left to be done after its commit. */
import { redactMessage } from '#runtime/tracing/log-redaction.ts';

/**
 * The transaction has succeeded by now, whatever its effects do: one that throws is a defect that becomes a warning of
 * the process, and the next one still runs.
 */
export function runEffects(effects: readonly (() => void)[]): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      const said = error instanceof Error ? redactMessage(error) : 'something that is no error was thrown';
      process.emitWarning(`An effect after a commit failed: ${said}`);
    }
  }
}
