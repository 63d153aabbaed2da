/** What is kept of a graded case, and the latencies of a run. */
import type { TokenUsage } from './token-usage.ts';

/** One graded case as the runner stores it and the API shows it. */
export interface StoredCase {
  index: number;
  id: string;
  category: string;
  status: 'passed' | 'failed' | 'error';
  score: number;
  weight: number;
  checks: readonly StoredCheck[];
  response_text: string | null;
  error_code: string | null;
  attempts: number;
  latency_ms: number | null;
  kind: string;
  level: number;
  stage: number;
  /** What was read from the reply. */
  found: string | null;
  /** Whether the case is from a private pack. */
  unseen?: true;
  right_value_wrong_wrapping?: true;
  form_kept?: boolean;
  /** Over all turns, if the target or agent reported it. */
  usage?: TokenUsage;
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
