/** What is kept of a graded item of a run, whatever its product; products add their own fields. */
import type { TokenUsage } from './suite/token-usage.ts';

export interface StoredItem {
  index: number;
  /** `ungraded` counts neither way. */
  status: 'passed' | 'failed' | 'error' | 'ungraded';
  /** From 0 to 1. */
  score: number;
  response_text: string | null;
  error_code: string | null;
  /** Why there is no reply, in the words of the agent that answers its cases itself. */
  error_message?: string;
  attempts: number;
  latency_ms: number | null;
  /** As the target or the agent reports it. */
  usage?: TokenUsage;
}

/** For an item in error. */
export function whyNoReply({
  error_code: code,
  error_message: message,
}: Pick<StoredItem, 'error_code' | 'error_message'>): string {
  return message ?? code?.replaceAll('_', ' ') ?? 'unknown error';
}
