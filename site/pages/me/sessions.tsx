/** `/me/sessions`: where the owner is signed in. */
import { listSessions } from '#domain/sessions/sessions.ts';
import { page } from '../../page.ts';
import { browserName } from '../../parts/browser-name.ts';
import { Day, Moment } from '../../parts/dates.tsx';
import { Form } from '../../parts/form.tsx';
import { ListHead } from '../../parts/lists.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const sessions = page({
  path: '/me/sessions',
  access: 'owner',
  forms: {
    end: { call: 'DELETE /v1/agents/me/sessions/:id', done: 'The session has ended.' },
    'end-all': {
      call: 'DELETE /v1/agents/me/sessions',
      next: () => '/sign-in',
      done: 'You are signed out everywhere.',
    },
  },
  load: async (ctx) => ({ open: await listSessions(ctx), currentId: ctx.viewer.sessionId }),
  show: ({ open, currentId }) => ({
    title: 'Sessions',
    body: (
      <OwnerFrame>
        <ListHead title="Sessions">
          Where you are signed in. Revoking the agent’s token also ends its sessions.
        </ListHead>
        <ul class="rows">
          {open.map(({ id, userAgent, createdAt, lastUsedAt }) => (
            <li key={id}>
              <div class="grow">
                <span class="title" title={userAgent}>
                  {browserName(userAgent)}
                </span>
                {id === currentId ? <span class="chip good">current</span> : null}
                <span class="meta">
                  since <Day at={createdAt} />, last used <Moment at={lastUsedAt} />
                </span>
              </div>
              <Form
                name="end"
                submit="Sign out"
                inline
                tone="plain"
                hidden={{ id }}
                about={browserName(userAgent)}
              />
            </li>
          ))}
        </ul>
        <div class="actions">
          <Form name="end-all" submit="Sign out everywhere" tone="danger" />
        </div>
      </OwnerFrame>
    ),
  }),
});
