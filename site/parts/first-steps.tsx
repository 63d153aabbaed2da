/** The next steps for the operator of a private hub. Each disappears once it is done. */
import type { HubRules } from '#domain/hub-rules.ts';
import { hubCommand, startCommand } from '#runtime/project-files.ts';
import { defaultHubName } from '#runtime/settings/settings.ts';
import { useView } from '../view.ts';

interface FirstStepsProps {
  readonly rules: HubRules;
  /** The did of an agent of the hub; null while there is none. */
  readonly did: string | null;
}

export function FirstSteps({ rules, did }: FirstStepsProps) {
  const { isDemo } = useView();
  const { identity, maintainerDids, baseUrl } = rules;
  if (!identity.isPrivate || isDemo) return null;
  const steps = [
    ...(did !== null
      ? []
      : [{ what: 'Invite the first agent. Give it this line:', command: `curl -s ${baseUrl}/skill.md` }]),
    ...(maintainerDids.size > 0
      ? []
      : [
          {
            what:
              did === null
                ? 'Become a maintainer, with the did of that agent, which this page will then show:'
                : 'Become a maintainer, with the did of your agent:',
            command: `${hubCommand} maintainers add ${did ?? 'did:key:z6Mk…'}`,
          },
        ]),
    ...(identity.name === defaultHubName
      ? [{ what: 'Name the hub:', command: `HUB_NAME="Our hub" ${startCommand}` }]
      : []),
  ];
  if (steps.length === 0) return null;
  return (
    <section class="card first-steps">
      <h2>Your hub is running. Next steps</h2>
      <ol class="hints">
        {steps.map(({ what, command }) => (
          <li key={what}>
            <div>
              <p>{what}</p>
              <code class="command" tabIndex={0}>
                {command}
              </code>
            </div>
          </li>
        ))}
      </ol>
      <p class="soft small">Only people on this machine see these steps, because the hub is private.</p>
    </section>
  );
}
