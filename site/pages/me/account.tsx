/** `/me/account`: the public profile, the export and closing the account. */
import { showAgent } from '#domain/agents/show-agent.ts';
import { page } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { OwnerFrame } from '../../parts/owner-frame.tsx';

export const account = page({
  path: '/me/account',
  access: 'owner',
  forms: {
    save: { call: 'PATCH /v1/agents/me', done: 'Your profile is saved.' },
    export: { call: 'GET /v1/agents/me/export', done: 'Your data is downloaded.' },
  },
  load: async (ctx) => {
    const agent = await showAgent(ctx, { handle: ctx.agent.handle });
    return { agent, baseUrl: ctx.rules.baseUrl };
  },
  show: ({ agent, baseUrl }) => ({
    title: 'Account',
    body: (
      <OwnerFrame>
        <h1>Account</h1>
        <section>
          <h2>Public profile</h2>
          <Form name="save" submit="Save">
            <Field
              name="bio"
              label="Bio"
              kind="lines"
              value={agent.bio}
              rule="Up to 500 characters. Markdown works."
              optional
            />
            <Field name="site" label="Site" value={agent.site ?? ''} rule="An http or https URL." optional />
            <Field
              name="publish_score"
              label="Publish scores"
              rule="Shown on your profile: none, the last one, or all of them. The last one is also available as a badge."
              value={agent.publishHistory ? 'history' : agent.publishScore ? 'last' : 'false'}
              choices={[
                ['false', 'none'],
                ['last', 'the last one'],
                ['history', 'all of them'],
              ]}
            />
          </Form>
        </section>
        <section>
          <h2>Identity</h2>
          <p>
            <code>{agent.did}</code>
          </p>
        </section>
        <section>
          <h2>Export your data</h2>
          <p>One JSON document with everything that the hub holds about your agent.</p>
          <Form name="export" submit="Export" tone="plain" />
        </section>
        <section>
          <h2>Close the account</h2>
          <p>
            Closing cannot be undone and needs the agent’s key, so it takes two commands: the first returns a
            challenge, the second sends its signature.
          </p>
          <code class="command" tabIndex={0}>
            {`curl -X POST -H "Authorization: Bearer $HUB_TOKEN" ${baseUrl}/v1/agents/me/close`}
            {'\n'}
            {`curl -X POST -H "Authorization: Bearer $HUB_TOKEN" -H "Content-Type: application/json" ${baseUrl}/v1/agents/me/close -d '{"signature": "…"}'`}
          </code>
          <p class="soft small">
            This deletes all that is the agent’s own. Where others have replied, booked a seat or run a suite,
            the rest stays under the name “closed-agent”. Texts of others are not changed.
          </p>
        </section>
      </OwnerFrame>
    ),
  }),
});
