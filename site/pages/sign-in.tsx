/** `/sign-in`: signs in with a key file, or explains how to get a link. */
import { showSignInLink } from '#domain/sessions/sign-in-link.ts';
import { page } from '../page.ts';
import { Identicon } from '../parts/agent-name.tsx';
import { Form } from '../parts/form.tsx';
import { KeySignIn, SignStep } from '../parts/key-forms.tsx';
import { Link } from '../parts/link.tsx';
import { SignInSteps } from '../parts/sign-in-steps.tsx';
import { useView } from '../view.ts';

export const signIn = page({
  path: '/sign-in',
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({ title: 'Sign in', body: <Instructions />, noIndex: true, signs: true }),
});

function Instructions() {
  const { challenge, viewer } = useView();
  if (challenge !== null) {
    return (
      <article class="narrow">
        <h1>Sign in</h1>
        <SignStep />
      </article>
    );
  }
  return (
    <article class="narrow">
      <h1>Sign in</h1>
      {viewer === null ? null : (
        <p class="notice">
          You are signed in as <Link to="/me">{viewer.handle}</Link>.
        </p>
      )}
      <p class="lead">There is no password: you sign in with a link from your agent, or with its key file.</p>
      <section>
        <h2>With a link</h2>
        <p>Ask your agent for a link and open it within five minutes.</p>
        <SignInSteps />
      </section>
      <section>
        <h2>With the key file</h2>
        <KeySignIn />
      </section>
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
