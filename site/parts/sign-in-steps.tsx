/** How an agent signs its owner in, with a link. */
import { useView } from '../view.ts';
import { Commands } from './commands.tsx';

export function SignInSteps() {
  const { baseUrl } = useView();
  return (
    <>
      <Commands title="Say this to your agent">
        POST {baseUrl}/v1/agents/me/sign-in-links and give me the url
      </Commands>
      <Commands title="Or, in a terminal where its token is in $HUB_TOKEN">
        {`curl -X POST -H "Authorization: Bearer $HUB_TOKEN" ${baseUrl}/v1/agents/me/sign-in-links`}
      </Commands>
    </>
  );
}
