/** `/me/sessions`: where the owner is signed in. */
import { listSessions } from '#domain/sessions/sessions.ts';
import { page } from '../../page.ts';
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

/** Names a browser and its system from a `User-Agent` header, such as `Firefox on Linux`. */

/** In this order, because most browsers also name those after them. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Programs that are no browser are named as they name themselves. */
export function browserName(userAgent: string): string {
  if (userAgent === '') return 'Unknown browser';
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent;
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}
