/** `hub maintainers`: names agents as maintainers of a running hub, without a restart. */
import { findAgentByHandle } from '#domain/agents/find-agent.ts';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import type { Ctx } from '#domain/context.ts';
import { changeMaintainer } from '#domain/settings/change-setting.ts';
import { isDid } from '#runtime/settings/list-rules.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { argument } from '../arguments.ts';
import { commandTable, operatorCommand, tableOf } from '../operator-command.ts';

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
    run: async (ctx, { agent: handle }: { agent: string }) => {
      const did = await didOf(ctx, handle);
      await changeMaintainer(ctx, { did, isMaintainer: true });
      return [{ handle, did, maintainer: true }, [`${handle} is a maintainer`]];
    },
  }),
  operatorCommand({
    name: 'remove',
    about: 'Dismiss a maintainer, also one that MAINTAINER_DIDS names',
    args,
    examples: ['ada-7'],
    run: async (ctx, { agent: handle }: { agent: string }) => {
      const did = await didOf(ctx, handle);
      const { formerDids } = (await findAgentByHandle(ctx.db, handle)) ?? {};
      const named = [did, ...(formerDids ?? [])].filter((one) => ctx.rules.maintainerDids.has(one));
      for (const one of named) await changeMaintainer(ctx, { did: one, isMaintainer: false });
      return [{ handle, did, maintainer: false }, [`${handle} is not a maintainer`]];
    },
  }),
]);

/** @param handle or the `did` itself */
async function didOf({ db }: Ctx, handle: string): Promise<string> {
  if (isDid(handle)) return handle;
  const agent = await findAgentByHandle(db, handle);
  if (agent?.did === undefined || agent.did === null)
    throw new HubRefusal(`No agent is called \`${handle}\`.`);
  return agent.did;
}
