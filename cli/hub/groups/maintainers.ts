/** `hub maintainers`: names agents as maintainers of a running hub, without a restart. */
import type { Command } from 'commander';
import { findAgentByHandle } from '#domain/agents/find-agent.ts';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { isDid } from '#runtime/settings/list-rules.ts';
import { keepMaintainers, readKeptMaintainers } from '#runtime/settings/kept-maintainers.ts';
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
    .description('List the maintainers, from MAINTAINER_DIDS and from this command')
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
    .description('Make an agent a maintainer immediately')
    .addHelpText(
      'after',
      '\nThe change is stored in DATA_DIR. Processes that do not share this folder need MAINTAINER_DIDS.\n\nExample:\n  hub maintainers add ada-7',
    )
    .action((handle: string) =>
      withOperator(async (operator) => {
        const { dataDir } = operator.settings;
        const did = await didOf(operator, handle);
        keepMaintainers(dataDir, [...new Set([...readKeptMaintainers(dataDir), did])]);
        line.output().result({ handle, did, maintainer: true }, [`${handle} is a maintainer`]);
      }),
    );
}

function addRemove(maintainers: Command, line: CommandLine): void {
  maintainers
    .command('remove <handle-or-did>')
    .description('Remove an agent from the maintainers immediately')
    .addHelpText('after', '\nExample:\n  hub maintainers remove ada-7')
    .action((handle: string) =>
      withOperator(async (operator) => {
        const { dataDir, maintainerDids } = operator.settings;
        const did = await didOf(operator, handle);
        const { formerDids } = (await findAgentByHandle(operator.ctx.db, handle)) ?? {};
        const dids = new Set([did, ...(formerDids ?? [])]);
        keepMaintainers(
          dataDir,
          readKeptMaintainers(dataDir).filter((kept) => !dids.has(kept)),
        );
        if (maintainerDids.some((named) => dids.has(named))) {
          throw new HubRefusal(
            `${handle} remains a maintainer: remove its did from MAINTAINER_DIDS as well.`,
          );
        }
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
