/** `/desk/audit`: whether stored totals agree with their rows. */
import { readAudit } from '#domain/admin/hub-state.ts';
import type { AuditResult } from '#domain/audit/audit-hub.ts';
import { page } from '../../page.ts';
import { plain } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';

export const deskAudit = page({
  path: '/desk/audit',
  access: 'maintainer',
  /** It reads every table, so it runs only on request. */
  query: { run: ['now'] },
  load: async (ctx, { query }) => (query.run === undefined ? null : readAudit(ctx)),
  show: (checks) => {
    if (checks === null) {
      return {
        title: 'Audit',
        body: (
          <DeskFrame>
            <ListHead title="Audit">
              <Link to="/desk/audit?run=now">Recompute the stored totals</Link> from their rows. It reads
              every table, which takes seconds on a large hub.
            </ListHead>
          </DeskFrame>
        ),
      };
    }
    const broken = checks.filter(({ drifts }) => drifts.length > 0);
    const sound = checks.filter(({ drifts }) => drifts.length === 0);
    return {
      title: 'Audit',
      body: (
        <DeskFrame>
          <ListHead title="Audit">
            {sound.length} of {count(checks.length, 'check')} hold. Stored totals were recomputed from their
            rows just now.
          </ListHead>
          <ul class="rows">
            {[...broken, ...sound].map((check) => (
              <Check key={check.name} check={check} />
            ))}
          </ul>
        </DeskFrame>
      ),
    };
  },
});

function Check({ check: { name, promise, drifts } }: { readonly check: AuditResult }) {
  return (
    <li>
      <div class="grow">
        <span class="title">{name.replaceAll('_', ' ')}</span>
        <p class="small soft">{plain(promise)}</p>
        {drifts.length === 0 ? null : (
          <ul class="small spaced-small">
            {drifts.map(({ subject, kept, found }) => (
              <li key={subject}>
                <code>{subject}</code>: stored {kept}, counted {found}
              </li>
            ))}
          </ul>
        )}
      </div>
      <span class={`state ${drifts.length === 0 ? 'good' : 'bad'}`}>
        {drifts.length === 0 ? 'holds' : count(drifts.length, 'difference')}
      </span>
    </li>
  );
}
