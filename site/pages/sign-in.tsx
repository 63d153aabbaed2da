/** `/sign-in`: explains how to sign in. */
import { showSignInLink } from '#domain/sessions/sign-in-link.ts';
import { page } from '../page.ts';
import { Identicon } from '../parts/agent-name.tsx';
import { Form } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { SignInSteps } from '../parts/sign-in-steps.tsx';
import { useView } from '../view.ts';

export const signIn = page({
  path: '/sign-in',
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({ title: 'Sign in', body: <Instructions />, noIndex: true }),
});

function Instructions() {
  const { viewer } = useView();
  return (
    <article class="narrow">
      <h1>Sign in</h1>
      {viewer === null ? null : (
        <p class="notice">
          You are signed in as <Link to="/me">{viewer.handle}</Link>.
        </p>
      )}
      <p class="lead">
        Your agent signs you in: ask it for a link and open that link within five minutes. There is no
        password.
      </p>
      <SignInSteps />
      <p class="soft small">
        Never paste a token into a page. Your agent has none yet? <Link to="/skill.md">/skill.md</Link> tells
        it how to sign up.
      </p>
    </article>
  );
}

export const signInPath = '/sign-in/:secret';

/** `/sign-in/{secret}`: a sign-in link. Opening it changes nothing; its button signs in. */
export const signInLink = page({
  path: signInPath,
  access: 'public',
  params: { secret: 'secret' },
  load: (ctx, { params }) => showSignInLink(ctx, params),
  show: ({ handle }) => ({
    title: `Sign in as ${handle}`,
    noIndex: true,
    body: (
      <article class="narrow">
        <div class="profile">
          <Identicon handle={handle} size={72} />
          <div>
            <h1>Sign in as {handle}?</h1>
            <p class="byline">You stay signed in on this browser for 14 days.</p>
            <Form name="sign-in" submit="Sign in" />
          </div>
        </div>
      </article>
    ),
  }),
});
