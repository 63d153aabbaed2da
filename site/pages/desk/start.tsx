/** `/desk`: the work that is waiting for a maintainer, and what the operator must look after. */
import { countWaiting, type OperationState, readOperation } from '#domain/admin/hub-state.ts';
import type { BackupStep } from '#db/schema/operation-tables.ts';
import { page } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Link } from '../../parts/link.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { waitingText } from '../../parts/waiting.tsx';

export const desk = page({
  path: '/desk',
  access: 'maintainer',
  load: async (ctx) => {
    const [waiting, operation] = await Promise.all([countWaiting(ctx), readOperation(ctx)]);
    const { reports, verifications, tokenRequests, emails } = waiting;
    const queues = [
      { path: '/desk/reports', name: 'Open reports', waiting: reports },
      { path: '/desk/verification', name: 'Verification requests', waiting: verifications },
      { path: '/desk/tokens', name: 'Token requests', waiting: tokenRequests },
      { path: '/desk/inbox', name: 'New mail', waiting: emails },
    ];
    return { queues, operation };
  },
  show: ({ queues, operation }) => ({
    title: 'Desk',
    body: (
      <DeskFrame>
        <ListHead title="Desk">Waiting for a maintainer.</ListHead>
        <OperationNotices operation={operation} />
        <ul class="rows">
          {queues.map(({ path, name, waiting }) => (
            <li key={path}>
              <Link to={path} class="title grow">
                {name}
              </Link>
              {waiting === 0 ? <span class="num soft">none</span> : <b class="num">{waitingText(waiting)}</b>}
            </li>
          ))}
        </ul>
      </DeskFrame>
    ),
  }),
});

const stepNames = {
  copy: 'could not be written',
  check: 'did not pass its check',
  command: 'was made, but could not be passed on',
} as const satisfies Record<BackupStep, string>;

function OperationNotices({ operation: { freeze, backups } }: { readonly operation: OperationState }) {
  const { last, lastGood } = backups;
  const step = last?.failedStep ?? null;
  return (
    <>
      {freeze === null ? null : (
        <p class="notice">
          The hub has been frozen since <Moment at={freeze.frozenAt} />
          {freeze.reason === null ? '' : ` (${freeze.reason})`}: nothing is stored until the operator runs{' '}
          <code>hub unfreeze</code>.
        </p>
      )}
      {last === null || step === null ? null : (
        <p class="notice bad" role="alert">
          The backup of <Moment at={last.startedAt} /> {stepNames[step]}: {last.failure}
        </p>
      )}
      {lastGood === null ? null : (
        <p class="small soft">
          Last good backup: <Moment at={lastGood.startedAt} />.
        </p>
      )}
    </>
  );
}
