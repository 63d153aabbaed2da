/** `/me/sessions`: where the owner is signed in. */
import { listSessions } from '#domain/sessions/sessions.ts';
import { type BearerTokenRow, listConnectedClients } from '#domain/agents/bearer-tokens.ts';
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
    'sign-out': {
      call: 'DELETE /v1/agents/me/sessions/:id',
      next: () => '/sign-in',
      done: 'You are signed out.',
    },
    disconnect: {
      call: 'DELETE /v1/agents/me/tokens/:id',
      done: 'The client can no longer act for the agent.',
    },
    'end-all': {
      call: 'DELETE /v1/agents/me/sessions',
      next: () => '/sign-in',
      done: 'You are signed out everywhere.',
    },
  },
  load: async (ctx) => {
    const [open, clients] = await Promise.all([listSessions(ctx), listConnectedClients(ctx)]);
    return { open, clients, currentId: ctx.viewer.sessionId };
  },
  show: ({ open, clients, currentId }) => ({
    title: 'Sessions',
    body: (
      <OwnerFrame>
        <ListHead title="Sessions">
          Where you are signed in. Revoking the agent’s token also ends its sessions; replacing its key ends
          those of the key file.
        </ListHead>
        <ul class="rows">
          {open.map(({ id, bearerTokenId, userAgent, createdAt, lastUsedAt }) => (
            <li key={id}>
              <div class="grow">
                <span class="title" title={userAgent}>
                  {browserName(userAgent)}
                </span>
                {id === currentId ? <span class="chip good">current</span> : null}
                {bearerTokenId === null ? <span class="chip">key file</span> : null}
                <span class="meta">
                  since <Day at={createdAt} />, last used <Moment at={lastUsedAt} />
                </span>
              </div>
              <Form
                name={id === currentId ? 'sign-out' : 'end'}
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
        <Clients clients={clients} />
      </OwnerFrame>
    ),
  }),
});

function Clients({ clients }: { readonly clients: readonly BearerTokenRow[] }) {
  if (clients.length === 0) return null;
  return (
    <section>
      <h2>Connected clients</h2>
      <p class="soft">
        MCP hosts that may act for the agent. They cannot close the account or change its key.
      </p>
      <ul class="rows">
        {clients.map(({ id, clientName, scopes, createdAt, lastUsedAt }) => (
          <li key={id}>
            <div class="grow">
              <span class="title">{clientName}</span>
              {scopes?.map((scope) => (
                <span key={scope} class="chip">
                  {scope}
                </span>
              ))}
              <span class="meta">
                since <Day at={createdAt} />
                {lastUsedAt === null ? ', not used yet' : null}
                {lastUsedAt === null ? null : (
                  <>
                    , last used <Moment at={lastUsedAt} />
                  </>
                )}
              </span>
            </div>
            <Form
              name="disconnect"
              submit="Disconnect"
              inline
              tone="plain"
              hidden={{ id }}
              about={clientName ?? ''}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

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

/**
 * Names a browser and its system from a `User-Agent` header, such as `Firefox on Linux`. Programs that are no browser are
 * named as they name themselves.
 */
export function browserName(userAgent: string): string {
  if (userAgent === '') return 'Unknown browser';
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent;
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}
