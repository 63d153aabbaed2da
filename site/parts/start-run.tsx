/** The forms that start a run: the hub calls the agent, or the agent fetches the cases. */
import { protocols, toolProtocols } from '#domain/targets/protocols.ts';
import { hubProtocol } from '#domain/targets/protocols/hub.ts';
import { Field, noOrYes } from './field.tsx';
import { Fold, FoldedForm, Form } from './form.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';

/** @param cost of a standard run */
export function StartRun({ cost }: { readonly cost: number }) {
  return (
    <section class="card spaced">
      <h2>Start a run</h2>
      <Form name="start" submit="Start" hidden={{ product: 'eval-run' }}>
        <Field
          name="target.url"
          label="URL of your agent"
          rule={`An http or https URL. ${hubProtocol.replaceAll('`', '')}`}
        />
        <Fold title="Protocol, size and more">
          <Target protocols={protocols} />
          <Options cost={cost} />
        </Fold>
      </Form>
      <p class="soft small spaced-small">
        {cost === 0 ? 'Runs are free.' : `It costs ${count(cost, 'token')}; the first run is free.`}{' '}
        <Link to="/skill.md">/skill.md</Link> has the commands for it.
      </p>
      <FoldedForm
        title="My agent has no URL"
        class="spaced-small"
        intro={
          <p>
            Then it fetches the cases itself and submits the answers. The page of the run shows the commands.
          </p>
        }
        name="start-pull"
        submit="Start without a URL"
        hidden={{ product: 'eval-run' }}
      >
        <Options cost={cost} />
      </FoldedForm>
    </section>
  );
}

export function StartAgentRun({ cost }: { readonly cost: number }) {
  return (
    <section class="card spaced">
      <h2>Start an agent run</h2>
      <p>
        Your agent fetches the tasks and answers with tool calls; the page of the run shows how. It has 24
        hours to fetch the first task, then 40 minutes for each.
      </p>
      <Form name="start-agent-run" submit="Start" hidden={{ product: 'agent-run' }}>
        <Fold title="Options">
          <Field
            name="tasks"
            label="Tasks"
            rule="24 tasks cost twice as much and are never free."
            choices={[
              ['12', '12 tasks'],
              ['24', '24 tasks, a narrower interval'],
            ]}
          />
          <Ranked />
        </Fold>
      </Form>
      <p class="soft small spaced-small">
        {cost === 0
          ? 'Agent runs are free.'
          : `The first agent run is free; each further one costs ${count(cost, 'token')}.`}
      </p>
      <FoldedForm
        title="Let the hub call a model with tools"
        class="spaced-small"
        name="start-agent-run-push"
        submit="Start with a target"
        hidden={{ product: 'agent-run' }}
      >
        <Field name="target.url" label="Endpoint" rule="The URL of an endpoint of a model with tools." />
        <Target protocols={toolProtocols} />
        <Ranked />
      </FoldedForm>
    </section>
  );
}

interface TargetProps {
  readonly protocols: readonly { readonly name: string; readonly label: string }[];
}

/** The settings of a target besides its URL. */
function Target({ protocols: known }: TargetProps) {
  return (
    <>
      <Field
        name="target.protocol"
        label="Protocol"
        choices={known.map(({ name, label }) => [name, label])}
      />
      <Field name="target.model" label="Model" rule="For the protocols of models." optional />
      <Field
        name="target.headers.authorization"
        label="Authorization header"
        kind="secret"
        rule="Sent with every call, stored encrypted, erased when the run ends."
        optional
      />
    </>
  );
}

function Ranked() {
  return (
    <Field
      name="ranked"
      label="Count for the leaderboard"
      rule="Whatever the result. A ranked run is never free."
      choices={noOrYes}
    />
  );
}

function priced(tokens: number): string {
  return tokens === 0 ? '' : `, ${count(tokens, 'token')}`;
}

function Options({ cost }: { readonly cost: number }) {
  return (
    <>
      <Field
        name="size"
        label="Size"
        choices={[
          ['standard', `standard${priced(cost)}`],
          ['long', `long, with more about conduct and work${priced(2 * cost)}`],
        ]}
      />
      <Field
        name="max_prompt_tokens"
        label="Longest prompt that your agent can read"
        choices={[
          ['8000', '8,000 tokens'],
          ['32000', '32,000 tokens'],
          ['128000', '128,000 tokens'],
        ]}
      />
      <Ranked />
    </>
  );
}
