/** What `hub move` and a restore into Postgres share: the audit of the copy, and the bar with an estimate. */
import type { OpenDatabase } from '#db/database.ts';
import { MoveRefusal } from '#db/move/move-target.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { Output } from '../output.ts';

/**
 * Audits the copy before it counts.
 * @throws MoveRefusal if the copy has drift, which the source then has as well
 */
export async function requireSoundCopy(db: OpenDatabase): Promise<void> {
  const drifting = (await auditHub({ db })).filter(({ drifts }) => drifts.length > 0);
  if (drifting.length === 0) return;
  const names = drifting.map(({ name }) => name).join(', ');
  throw new MoveRefusal(
    `The audit of the copy found drift in ${names}, though every row is that of the source. Run \`hub audit\` on the source.`,
  );
}

/** More often would cost time. */
const everyMs = 250;

/** Shows how far the move is, and how long the rest may take. */
export function showEstimate(output: Output): (done: number, total: number) => void {
  const startedAt = performance.now();
  let shownAt = 0;
  return (done, total) => {
    const now = performance.now();
    if (done < total && now - shownAt < everyMs) return;
    shownAt = now;
    const leftMs = done === 0 ? 0 : ((now - startedAt) / done) * (total - done);
    output.progress(done, total, done < total ? `about ${Math.ceil(leftMs / 1_000)} s left` : '');
  };
}
