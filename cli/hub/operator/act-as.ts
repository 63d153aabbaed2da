/** Who acts when an operator decides something on the database: a maintainer, as over HTTP, whose name the rows then bear. */
import { findMaintainers } from '#domain/agents/find-maintainers.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { WrongCommandLine } from '../wrong-command-line.ts';

/** The option of every command that acts. */
export const actAsOption = [
  '--as <handle>',
  'the maintainer who acts; may be left out while there is only one',
] as const;

/**
 * @param handle null for the only maintainer there is
 * @throws StartError when there is no maintainer; WrongCommandLine when it is not clear which one is meant
 */
export async function actAs(ctx: Ctx, handle: string | null): Promise<AgentCtx> {
  const maintainers = await findMaintainers(ctx);
  const [only] = maintainers;
  if (only === undefined) {
    throw new StartError(
      'No agent of this hub is a maintainer. Set MAINTAINER_DIDS to the `did` of one, as the hub has it; `hub agents list` shows them.',
      { isSetting: true },
    );
  }
  const names = maintainers.map((agent) => agent.handle).join(', ');
  if (handle === null && maintainers.length > 1) {
    throw new WrongCommandLine(`There are several maintainers: name one of them with --as: ${names}.`);
  }
  const acting = handle === null ? only : maintainers.find((agent) => agent.handle === handle);
  if (acting === undefined)
    throw new WrongCommandLine(`\`${handle}\` is no maintainer. These are: ${names}.`);
  return { ...ctx, agent: acting };
}
