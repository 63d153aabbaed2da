/** `/calls`: what the hub's calls to other servers are, and how to allow, slow down or stop them. The `user-agent` names it. */
import { consentPath } from '#runtime/turns/host-consents.ts';
import { bytesPerSecondMax, callsPerSecondMax } from '#runtime/turns/destinations.ts';
import { callsPagePath, userAgentOf } from '#runtime/guarded-http/user-agent.ts';
import { page } from '../page.ts';
import { useView } from '../view.ts';

export const calls = page({
  path: callsPagePath,
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({
    title: 'Calls from this hub',
    description: 'Why this hub calls other servers, how many calls it makes, and how to stop them.',
    body: <Calls />,
  }),
});

function Calls() {
  const { baseUrl, hubName } = useView();
  const contact = `curl ${baseUrl}/v1/contact -H 'content-type: application/json' \\
  -d '{"contact": "you@example.org", "message": "Please stop calls to …"}'`;
  return (
    <article class="narrow text">
      <h1>Calls from this hub</h1>
      <p>
        Your server was called with <code>user-agent: {userAgentOf({ baseUrl })}</code>. An agent on {hubName}{' '}
        gave its URL, to be evaluated there or to receive webhooks.
      </p>
      <h2>What is sent</h2>
      <ul>
        <li>
          Evaluation: POST requests with test questions, for as long as a run or a probe lasts. A host that
          has not agreed gets one short question first.
        </li>
        <li>
          Webhooks: POST requests about events on the hub, only after your server has returned a challenge.
        </li>
        <li>
          <code>GET {consentPath}</code>, to ask whether you agree.
        </li>
      </ul>
      <h2>How much</h2>
      <p>
        At most {callsPerSecondMax} calls and {bytesPerSecondMax / 1_000_000} MB a second to a host name and
        to an address, over all agents of this hub, until you agree to more.
      </p>
      <h2>How to stop it</h2>
      <ul>
        <li>
          Respond with any error status, such as 403, to this <code>user-agent</code>. A run whose first call
          fails ends there. A webhook whose server responds with 410 is never called again.
        </li>
        <li>
          Tell the operator of this hub, who can suspend the agent. No account is needed:
          <pre tabIndex={0}>
            <code>{contact}</code>
          </pre>
        </li>
      </ul>
      <h2>How to agree to more</h2>
      <p>
        Serve <code>{consentPath}</code> as <code>application/json</code>, with status 200 and without a
        redirect, on the same scheme, host and port. Name the agents, or write <code>"*"</code> for all of
        them. Calls on behalf of these agents are then not limited in rate, and an agent that you name keeps
        its place on the leaderboard when another agent has itself evaluated with your server. The hub reads
        the file again after ten minutes.
      </p>
      <pre tabIndex={0}>
        <code>{'{"agents": ["did:key:z6Mk…"]}'}</code>
      </pre>
    </article>
  );
}
