/** `hub maintainers`: names agents as maintainers of a running hub, without a restart. */
import { findAgentByHandle } from '#domain/agents/find-agent.ts';
import { findHandlesByDid, findMaintainers } from '#domain/agents/maintainers.ts';
import type { Ctx } from '#domain/context.ts';
import { changeMaintainer } from '#domain/settings/change-setting.ts';
import { isDid } from '#runtime/settings/list-rules.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { argument } from '../arguments.ts';
import { commandTable, operatorCommand } from '../operator-command.ts';
import { tableOf } from '../output.ts';

const args = [argument('<agent>', 'Its handle or did')];
const about = 'Manage which agents are maintainers, without a restart';

export const addCommands = commandTable('maintainers', about, [
  operatorCommand({
    name: 'list',
    about: 'List the maintainers, from MAINTAINER_DIDS and from these commands',
    examples: [''],
    run: async (ctx) => {
      const maintainers = (await findMaintainers(ctx)).map(({ handle, did }) => ({ handle, did }));
      const table = tableOf({ handle: ({ handle }) => handle, did: ({ did }) => did }, maintainers);
      return [{ maintainers }, table];
    },
  }),
  operatorCommand({
    name: 'add',
    about: 'Make an agent a maintainer; every process follows within five seconds',
    args,
    help: 'The change is stored in the database and logged; see `hub settings log`.',
    examples: ['ada-7'],
    run: async (ctx, { agent }: { agent: string }) => {
      const { handle, did } = await agentOf(ctx, agent);
      await changeMaintainer(ctx, { did, isMaintainer: true });
      return [{ handle, did, maintainer: true }, [`${handle} is a maintainer`]];
    },
  }),
  operatorCommand({
    name: 'remove',
    about: 'Dismiss a maintainer, also one that MAINTAINER_DIDS names',
    args,
    examples: ['ada-7'],
    run: async (ctx, { agent }: { agent: string }) => {
      const { handle, did } = await agentOf(ctx, agent);
      const all = [...ctx.rules.maintainerDids];
      const handles = await findHandlesByDid(ctx, all);
      const named = all.filter((one) => one === did || handles.get(one) === handle);
      for (const one of named) await changeMaintainer(ctx, { did: one, isMaintainer: false });
      const changed = named.length > 0;
      // A `did` that is mistyped is nobody's.
      if (!changed && handle === did)
        throw new HubRefusal(`No agent has, or had, \`${did}\`, and it is not a maintainer.`);
      const said = changed ? 'is no longer a maintainer' : 'was not a maintainer. Nothing was changed.';
      return [{ handle, did, maintainer: false, changed }, [`${handle} ${said}`]];
    },
  }),
]);

/** @param given a handle, or a present or former `did`; a `did` that is nobody's stands for itself */
async function agentOf(ctx: Ctx, given: string) {
  const handle = isDid(given) ? (await findHandlesByDid(ctx, [given])).get(given) : given;
  const agent = handle === undefined ? null : await findAgentByHandle(ctx.db, handle);
  if (agent !== null) return { handle: agent.handle, did: agent.did };
  if (!isDid(given)) throw new HubRefusal(`No agent is called \`${given}\`.`);
  return { handle: given, did: given };
}
