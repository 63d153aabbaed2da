/** `/desk/queues` and `/desk/audit`: the state of the hub. */
import { readAudit, readHealth } from '#domain/admin/hub-state.ts';
import type { AuditResult } from '#domain/audit/audit-hub.ts';
import { page } from '../../page.ts';
import { plain } from '../../parts/form.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { durationOf } from '#runtime/duration-of.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';

export const deskQueues = page({
  path: '/desk/queues',
  access: 'maintainer',
  load: (ctx) => readHealth(ctx),
  show: (queues) => ({
    title: 'Queues',
    body: (
      <DeskFrame>
        <ListHead title="Queues">Open work, and how long the oldest item has been waiting.</ListHead>
        <div class="scroll" tabIndex={0} role="group" aria-label="Queues">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">Queue</th>
                <th scope="col" class="num">
                  Open
                </th>
                <th scope="col" class="num">
                  Oldest waiting
                </th>
              </tr>
            </thead>
            <tbody>
              {queues.map(({ name, open, oldestWaitingMs }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="num">{open === null ? '–' : thousands(open)}</td>
                  <td class="num">{(open ?? oldestWaitingMs) === 0 ? '–' : durationOf(oldestWaitingMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </DeskFrame>
    ),
  }),
});

export const deskAudit = page({
  path: '/desk/audit',
  access: 'maintainer',
  load: (ctx) => readAudit(ctx),
  show: (checks) => {
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
