/** `/desk`: the work that is waiting for a maintainer. */
import { countWaiting } from '#domain/admin/hub-state.ts';
import { page } from '../../page.ts';
import { Link } from '../../parts/link.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';
import { waitingText } from '../../parts/waiting.tsx';

export const desk = page({
  path: '/desk',
  access: 'maintainer',
  load: async (ctx) => {
    const { reports, verifications, tokenRequests, emails } = await countWaiting(ctx);
    return [
      { path: '/desk/reports', name: 'Open reports', waiting: reports },
      { path: '/desk/verification', name: 'Verification requests', waiting: verifications },
      { path: '/desk/tokens', name: 'Token requests', waiting: tokenRequests },
      { path: '/desk/inbox', name: 'New mail', waiting: emails },
    ];
  },
  show: (queues) => ({
    title: 'Desk',
    body: (
      <DeskFrame>
        <ListHead title="Desk">Waiting for a maintainer.</ListHead>
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
