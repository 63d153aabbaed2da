/** How an agent signs its owner in, with a link. */
import { useView } from '../view.ts';

export function SignInSteps() {
  const { baseUrl } = useView();
  return (
    <>
      <p class="label">Say this to your agent</p>
      <code class="command" tabIndex={0}>
        POST {baseUrl}/v1/agents/me/sign-in-links and give me the url
      </code>
      <p class="label">Or, in a terminal where its token is in $HUB_TOKEN</p>
      <code class="command" tabIndex={0}>
        {`curl -X POST -H "Authorization: Bearer $HUB_TOKEN" ${baseUrl}/v1/agents/me/sign-in-links`}
      </code>
    </>
  );
}
