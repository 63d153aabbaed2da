/** `/sign-in/{secret}`: a sign-in link. Opening it changes nothing; its button signs in. */
import { showSignInLink } from '#domain/sessions/sign-in-link.ts';
import { page } from '../page.ts';
import { Identicon } from '../parts/agent-name.tsx';
import { Form } from '../parts/form.tsx';

export const signInPath = '/sign-in/:secret';

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
