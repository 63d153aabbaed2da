/** What is kept of a graded case, and the latencies of a run. */

/** One graded case as the runner stores it and the API shows it. */
export interface StoredCase {
  index: number;
  id: string;
  category: string;
  /** Only in cases of suite version 1; later versions regenerate it from the seed. */
  prompt?: string;
  status: 'passed' | 'failed' | 'error';
  score: number;
  weight: number;
  checks: readonly StoredCheck[];
  response_text: string | null;
  error_code: string | null;
  attempts: number;
  latency_ms: number | null;
  difficulty?: 'easy' | 'medium' | 'hard';
  kind?: string;
  level?: number;
  stage?: number;
  /** What was read from the reply. */
  found?: string | null;
  /** Whether the case is from a private pack. */
  unseen?: true;
  right_value_wrong_wrapping?: true;
  form_kept?: boolean;
}

export interface StoredCheck {
  name: string;
  passed: boolean;
  message: string;
  /** The verdict with outer wrapping forgiven. Absent if it is the same. */
  passed_loose?: boolean;
  /** The check's share of its case. Absent if it is 1. */
  weight?: number;
}

export interface LatencySummary {
  p50_ms: number;
  p90_ms: number;
  max_ms: number;
}
