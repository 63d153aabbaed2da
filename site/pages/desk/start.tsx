/** `/desk`: the last 24 hours: alerts, open decisions, runs, queues, the store and its backups. */
import { type Alert, type OperatorDay, readOperatorDay } from '#domain/admin/operator-day.ts';
import { countWaiting } from '#domain/admin/hub-state.ts';
import { durationOf } from '#runtime/duration-of.ts';
import { page } from '../../page.ts';
import { HourChart } from '../../parts/charts.tsx';
import { Moment } from '../../parts/dates.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { count, thousands } from '../../parts/numbers.ts';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { waitingText } from '../../parts/waiting.tsx';

export const desk = page({
  path: '/desk',
  access: 'maintainer',
  load: async (ctx) => {
    const [waiting, day] = await Promise.all([countWaiting(ctx), readOperatorDay(ctx)]);
    const { reports, verifications, tokenRequests, emails } = waiting;
    const decisions = [
      { path: '/desk/reports', name: 'Open reports', waiting: reports },
      { path: '/desk/verification', name: 'Verification requests', waiting: verifications },
      { path: '/desk/tokens', name: 'Token requests', waiting: tokenRequests },
      { path: '/desk/inbox', name: 'New mail', waiting: emails },
    ];
    return { decisions, day };
  },
  show: ({ decisions, day }) => ({
    title: 'Desk',
    body: (
      <DeskFrame>
        <ListHead title="Today">
          The 24 hours until <Moment at={day.now} />.
        </ListHead>
        <Alerts alerts={day.alerts} />
        <h2>Waiting for a maintainer</h2>
        <ul class="rows">
          {decisions.map(({ path, name, waiting }) => (
            <li key={path}>
              <Link to={path} class="title grow">
                {name}
              </Link>
              {waiting === 0 ? <span class="num soft">none</span> : <b class="num">{waitingText(waiting)}</b>}
            </li>
          ))}
        </ul>
        <Runs day={day} />
        <Queues day={day} />
        <Store day={day} />
      </DeskFrame>
    ),
  }),
});

function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return <p class="notice good">No alerts.</p>;
  return (
    <section aria-label="Alerts">
      {alerts.map(({ what, remedy, commands }) => (
        <div key={what} class="notice bad">
          <p>
            <b>{what}</b> {remedy}
          </p>
          <pre class="wrap">{commands.join('\n')}</pre>
        </div>
      ))}
    </section>
  );
}

function Runs({ day: { hours, failures } }: { readonly day: OperatorDay }) {
  const completed = hours.reduce((sum, hour) => sum + hour.completed, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const ended = count(completed + failed, 'run');
  return (
    <section class="spaced">
      <h2>Runs that ended</h2>
      {completed + failed === 0 ? (
        <p class="soft">No run ended in the last 24 hours.</p>
      ) : (
        <>
          <p class="soft">
            {ended}, {failed === 0 ? 'none failed' : `${thousands(failed)} failed`}. Hours in UTC.
          </p>
          <HourChart hours={hours} label={`${ended} in the last 24 hours, ${failed} of them failed`} />
          {failures.length === 0 ? null : (
            <p class="soft small">
              Causes of failure:{' '}
              {failures
                .map(({ code, runs }) => `${code.replaceAll('_', ' ')} (${thousands(runs)})`)
                .join(', ')}
              .
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Queues({ day: { queues } }: { readonly day: OperatorDay }) {
  return (
    <section class="spaced">
      <h2>Queues</h2>
      <p class="soft">Open jobs, how long the oldest has waited, and failures in the last 24 hours.</p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Queues">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col" class="num">
                Open
              </th>
              <th scope="col" class="num">
                Oldest
              </th>
              <th scope="col" class="num">
                Failed
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ name, open, oldestWaitingMs, failed }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="num">{open === null ? '–' : thousands(open)}</td>
                <td class="num">{oldestWaitingMs === 0 ? '–' : durationOf(oldestWaitingMs)}</td>
                <td class={`num ${failed === null || failed === 0 ? '' : 'bad'}`}>
                  {failed === null ? '–' : thousands(failed)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Store({ day: { store, backups } }: { readonly day: OperatorDay }) {
  const { name, bytes, free } = store;
  const { lastGood } = backups;
  return (
    <section class="spaced">
      <h2>Store and backups</h2>
      <dl class="facts-grid">
        <Fact name="Database">
          {name}, {sizeOf(bytes)}
        </Fact>
        {free === null ? null : (
          <Fact name="Free disk">
            {sizeOf(free.bytes)} ({(100 * free.share).toFixed(0)}%)
          </Fact>
        )}
        <Fact name="Last good backup">
          {lastGood === null ? (
            <>
              None yet. <code>BACKUP_EVERY</code> in <code>hub.env</code> schedules them.
            </>
          ) : (
            <>
              <Moment at={lastGood.startedAt} />
              <br />
              {lastGood.bytes === null ? '' : `${sizeOf(lastGood.bytes)} in `}
              <code>{lastGood.file}</code> on {lastGood.machine}
            </>
          )}
        </Fact>
        <Fact name="Totals">
          <Link to="/desk/audit?run=now">Recompute them</Link>
        </Fact>
        <Fact name="Processes">
          <code>hub health</code> and <code>hub queues status</code> on the machine
        </Fact>
      </dl>
    </section>
  );
}

const sizes = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;

/** Such as `3.4 MB`. */
function sizeOf(bytes: number): string {
  const [unit, size] = sizes.find(([, least]) => bytes >= least) ?? ['kB', 1e3];
  return `${(bytes / size).toFixed(bytes / size < 10 ? 1 : 0)} ${unit}`;
}
