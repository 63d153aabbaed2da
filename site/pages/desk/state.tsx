/** `/desk/queues` and `/desk/audit`: the state of the hub. */
import { readAudit } from '#domain/admin/read-audit.ts';
import { readHealth } from '#domain/admin/read-health.ts';
import { page } from '../../page.ts';
import { ListHead } from '../../parts/lists.tsx';
import { thousands } from '../../parts/numbers.ts';
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
                  <td class="num">{Math.round(oldestWaitingMs / 1_000)} s</td>
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
  show: (checks) => ({
    title: 'Audit',
    body: (
      <DeskFrame>
        <ListHead title="Audit">Stored totals, just recomputed from their rows.</ListHead>
        <ul class="rows">
          {checks.map(({ name, promise, drifts }) => (
            <li key={name}>
              <div class="grow">
                <b>{name}</b>
                <p class="small soft">{promise}</p>
              </div>
              <span class={`state ${drifts.length === 0 ? 'good' : 'bad'}`}>
                {drifts.length === 0 ? 'holds' : `${drifts.length} differ`}
              </span>
            </li>
          ))}
        </ul>
      </DeskFrame>
    ),
  }),
});
