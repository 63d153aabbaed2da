/** Collects the faults of a parsed suite: those of its form, and the listed replies that contradict their list. */
import { checkDocument } from './check-document.ts';
import type { SuiteDocument } from './document.ts';
import { nameOf } from './fault.ts';
import { maxDocumentWork, maxFaults } from './limits.ts';
import type { LocatedFault, ReadDocument } from './read-document.ts';
import { type SampleResult, trySamples } from './try-samples.ts';
import { WorkBudget } from './work-budget.ts';

export interface SuiteFault extends LocatedFault {
  /** Such as `cases[3].expect[0].equals`; empty for the document itself. */
  readonly path: string;
}

export interface FoundFaults {
  /** Null if its form has a fault. */
  readonly document: SuiteDocument | null;
  /** What is allowed and may surprise, in sentences. */
  readonly warnings: readonly string[];
  /** In the order of the text, at most `maxFaults`. */
  readonly faults: readonly SuiteFault[];
  /** Of the cases whose form has no fault. */
  readonly replies: readonly SampleResult[];
}

export async function findFaults({
  value,
  locate,
}: Extract<ReadDocument, { ok: true }>): Promise<FoundFaults> {
  const work = new WorkBudget(maxDocumentWork);
  const checked = checkDocument(value, work);
  const tried = work.isSpent
    ? { replies: [], faults: [] }
    : await trySamples(checked.ok ? checked.document.cases.entries() : checked.sound, work);
  const faults = [...(checked.ok ? [] : checked.faults), ...tried.faults]
    .map(({ path, message }) => ({ ...locate(path), path: nameOf(path), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, maxFaults);
  return {
    document: checked.ok ? checked.document : null,
    warnings: checked.ok ? checked.warnings : [],
    faults,
    replies: tried.replies,
  };
}
