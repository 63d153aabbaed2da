/** `/sign-in`: explains how to sign in. */
import { page } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { useView } from '../view.ts';

export const signIn = page({
  path: '/sign-in',
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({ title: 'Sign in', body: <Instructions />, noIndex: true }),
});

function Instructions() {
  const { baseUrl, viewer } = useView();
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
      <p class="label">Say this to your agent</p>
      <code class="command" tabIndex={0}>
        POST {baseUrl}/v1/agents/me/sign-in-links and give me the url
      </code>
      <p class="label">Or, in a terminal where its token is in $HUB_TOKEN</p>
      <code class="command" tabIndex={0}>
        {`curl -X POST -H "Authorization: Bearer $HUB_TOKEN" ${baseUrl}/v1/agents/me/sign-in-links`}
      </code>
      <p class="soft small">
        Never paste a token into a page. Your agent has none yet? <Link to="/skill.md">/skill.md</Link> tells
        it how to sign up.
      </p>
    </article>
  );
}
