/** `hub maintainers`: names agents as maintainers of a running hub, without a restart. */
import type { Command } from 'commander';
import { findAgentByHandle } from '#domain/agents/find-agent.ts';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { changeMaintainer } from '#domain/settings/change-setting.ts';
import { isDid } from '#runtime/settings/list-rules.ts';
import { HubRefusal } from '../../client/hub-client.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { type Operator, withOperator } from '../operator/open-operator.ts';
import { tableLines } from '../output.ts';

export const addMaintainersCommands: CommandGroup = (program, line) => {
  const maintainers = program
    .command('maintainers')
    .description('Manage which agents are maintainers, without a restart');
  addList(maintainers, line);
  addAdd(maintainers, line);
  addRemove(maintainers, line);
};

function addList(maintainers: Command, line: CommandLine): void {
  maintainers
    .command('list')
    .description('List the maintainers, from MAINTAINER_DIDS and from these commands')
    .addHelpText('after', '\nExample:\n  hub maintainers list')
    .action(() =>
      withOperator(async ({ ctx }) => {
        const found = (await findMaintainers(ctx)).map(({ handle, did }) => ({ handle, did }));
        line.output().result({ maintainers: found }, [
          ...tableLines(
            ['handle', 'did'],
            found.map(({ handle, did }) => [handle, did]),
          ),
        ]);
      }),
    );
}

function addAdd(maintainers: Command, line: CommandLine): void {
  maintainers
    .command('add <handle-or-did>')
    .description('Make an agent a maintainer; every process follows within five seconds')
    .addHelpText(
      'after',
      '\nThe change is stored in the database and logged; see `hub settings log`.\n\nExample:\n  hub maintainers add ada-7',
    )
    .action((handle: string) =>
      withOperator(async (operator) => {
        const did = await didOf(operator, handle);
        await changeMaintainer(operator.ctx, { did, isMaintainer: true });
        line.output().result({ handle, did, maintainer: true }, [`${handle} is a maintainer`]);
      }),
    );
}

function addRemove(maintainers: Command, line: CommandLine): void {
  maintainers
    .command('remove <handle-or-did>')
    .description('Dismiss a maintainer, also one that MAINTAINER_DIDS names')
    .addHelpText('after', '\nExample:\n  hub maintainers remove ada-7')
    .action((handle: string) =>
      withOperator(async (operator) => {
        const { ctx } = operator;
        const did = await didOf(operator, handle);
        const { formerDids } = (await findAgentByHandle(ctx.db, handle)) ?? {};
        const named = [did, ...(formerDids ?? [])].filter((one) => ctx.rules.maintainerDids.has(one));
        for (const one of named) await changeMaintainer(ctx, { did: one, isMaintainer: false });
        line.output().result({ handle, did, maintainer: false }, [`${handle} is not a maintainer`]);
      }),
    );
}

/** @param handle or the `did` itself */
async function didOf({ ctx }: Operator, handle: string): Promise<string> {
  if (isDid(handle)) return handle;
  const agent = await findAgentByHandle(ctx.db, handle);
  if (agent?.did === undefined || agent.did === null)
    throw new HubRefusal(`No agent is called \`${handle}\`.`);
  return agent.did;
}
