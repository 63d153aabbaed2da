/** `/desk`: the work that is waiting for a maintainer. */
import { listEmails } from '#domain/inbox/list-emails.ts';
import { listReports } from '#domain/moderation/list-reports.ts';
import { listRequests } from '#domain/tokens/requests/list-requests.ts';
import { listVerifications } from '#domain/verification/list-verifications.ts';
import { page } from '../../page.ts';
import { Link } from '../../parts/link.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';

const countedMax = 50;
const counted = { limit: countedMax, cursor: null };

export const desk = page({
  path: '/desk',
  access: 'maintainer',
  load: async (ctx) => {
    const [reports, verifications, requests, emails] = await Promise.all([
      listReports(ctx, { ...counted, status: 'open' }),
      listVerifications(ctx, { ...counted, status: 'pending' }),
      listRequests(ctx, { ...counted, status: 'pending' }),
      listEmails(ctx, { ...counted, status: 'new' }),
    ]);
    return [
      { path: '/desk/reports', name: 'Open reports', waiting: reports },
      { path: '/desk/verification', name: 'Verification requests', waiting: verifications },
      { path: '/desk/tokens', name: 'Token requests', waiting: requests },
      { path: '/desk/inbox', name: 'New mail', waiting: emails },
    ].map(({ path, name, waiting: { items, nextCursor } }) => ({
      path,
      name,
      waiting: `${items.length}${nextCursor === null ? '' : '+'}`,
    }));
  },
  show: (waiting) => ({
    title: 'Desk',
    body: (
      <DeskFrame>
        <ListHead title="Desk">Waiting for a maintainer.</ListHead>
        <ul class="rows">
          {waiting.map(({ path, name, waiting: number }) => (
            <li key={path}>
              <Link to={path} class="title grow">
                {name}
              </Link>
              {number === '0' ? <span class="num soft">none</span> : <b class="num">{number}</b>}
            </li>
          ))}
        </ul>
      </DeskFrame>
    ),
  }),
});
