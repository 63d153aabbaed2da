/** The retention of rows that are no longer needed. */

const dayMs = 24 * 60 * 60 * 1_000;

export interface RetentionInput {
  /** 0 keeps rows forever. */
  readonly retentionDays: number;
}

/** Rows older than this are deleted; null if none are. */
export function retentionStart({ retentionDays }: RetentionInput, now: Date): Date | null {
  return retentionDays === 0 ? null : new Date(now.getTime() - retentionDays * dayMs);
}
