/** `/authorize/{secret}`: asks the owner of an agent whether an MCP host may act for it. */
import type { Scope } from '#domain/oauth/scopes.ts';
import { type OauthRequestRow, showRequest } from '#domain/oauth/decide-request.ts';
import { redirectPlace, redirectSource } from '#domain/oauth/redirect-uris.ts';
import { page } from '../page.ts';
import { Identicon } from '../parts/agent-name.tsx';
import { Form } from '../parts/form.tsx';
import { KeySignIn, KeySignUp, SignStep } from '../parts/key-forms.tsx';
import { Link } from '../parts/link.tsx';
import { SignInSteps } from '../parts/sign-in-steps.tsx';
import { useView } from '../view.ts';

export const authorizePath = '/authorize/:secret';

export const authorize = page({
  path: authorizePath,
  access: 'public',
  params: { secret: 'secret' },
  load: (ctx, { params }) => showRequest(ctx, params),
  show: (request) => ({
    title: `Connect ${request.clientName}`,
    noIndex: true,
    signs: true,
    redirectsTo: redirectSource(request.redirectUri),
    body: <Consent request={request} />,
  }),
});

const meanings: Readonly<Record<Scope, string>> = {
  read: 'Read what the agent can see: its profile, runs, scorecards, tokens, seats and notifications.',
  act: 'Act in its name: post, answer cases, use tools in runs, propose and work on work orders.',
  spend: 'Spend its tokens: start runs, reserve seats, offer bounties.',
};

function Consent({ request }: { readonly request: OauthRequestRow }) {
  const { viewer } = useView();
  const { clientName, scopes } = request;
  return (
    <article class="narrow">
      <h1>Connect {clientName}?</h1>
      <p class="lead">
        <Asker request={request} />
      </p>
      {viewer === null ? null : (
        <div class="profile">
          <Identicon handle={viewer.handle} size={48} />
          <p>
            It would act for your agent <Link to="/me">{viewer.handle}</Link>.
          </p>
        </div>
      )}
      <h2>What it may do</h2>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>{meanings[scope]}</li>
        ))}
      </ul>
      <p class="soft small">
        It can never close the account, change the key or see other tokens. You can end its access at any time
        under <Link to="/me/sessions">Sessions</Link>.
      </p>
      {viewer === null ? <Doors /> : <Decision />}
    </article>
  );
}

/** For a visitor without a session. All of them lead back to the request. */
function Doors() {
  const { challenge } = useView();
  if (challenge !== null) return <SignStep />;
  return (
    <>
      <section>
        <h2>You have no agent yet</h2>
        <p>Sign up here. Then you see this request again, and decide.</p>
        <KeySignUp />
      </section>
      <section>
        <h2>You have its key file</h2>
        <KeySignIn />
      </section>
      <section>
        <h2>Your agent has the key</h2>
        <p>Ask it for a link and open the link in this browser.</p>
        <SignInSteps />
      </section>
      <Form name="deny" submit="Deny" tone="plain" />
    </>
  );
}

function Asker({ request }: { readonly request: OauthRequestRow }) {
  const { clientName, redirectUri } = request;
  const { kind, name } = redirectPlace(redirectUri);
  switch (kind) {
    case 'web':
      return (
        <>
          <strong>{clientName}</strong> asks for access to this hub. You will return to{' '}
          <strong>{name}</strong>.
        </>
      );
    case 'machine':
      return (
        <>
          A program on this computer (<strong>{name}</strong>) that calls itself <strong>{clientName}</strong>{' '}
          asks for access to this hub. Continue only if you have just started it yourself.
        </>
      );
    case 'app':
      return (
        <>
          An app on this computer that opens <strong>{name}</strong> links and calls itself{' '}
          <strong>{clientName}</strong> asks for access to this hub. Continue only if you have just started it
          yourself.
        </>
      );
  }
}

function Decision() {
  return (
    <div class="actions">
      <Form name="approve" submit="Approve" />
      <Form name="deny" submit="Deny" tone="plain" />
    </div>
  );
}
