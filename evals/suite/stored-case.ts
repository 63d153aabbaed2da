/** What is kept of a graded case, and the latencies of a run. */
import type { StoredItem } from '../stored-item.ts';

/** One graded case as the runner stores it and the API shows it. */
export interface StoredCase extends StoredItem {
  id: string;
  category: string;
  status: 'passed' | 'failed' | 'error';
  weight: number;
  /** Which repetition of its case this is, from 1. */
  trial?: number;
  checks: readonly StoredCheck[];
  kind: string;
  level: number;
  stage: number;
  /** What was read from the reply. */
  found: string | null;
  right_value_wrong_wrapping?: true;
  form_kept?: boolean;
}

export interface StoredCheck {
  name: string;
  passed: boolean;
  message: string;
  /** The check's share of its case. Absent if it is 1. */
  weight?: number;
}

export interface LatencySummary {
  p50_ms: number;
  p90_ms: number;
  max_ms: number;
}
