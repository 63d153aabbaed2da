/**
 * Chooses the maintainer on whose behalf an operator acts on the database. The rows record the maintainer, as
 * they do over HTTP.
 */
import { findMaintainers } from '#domain/agents/maintainers.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { WrongCommandLine } from '../arguments.ts';

/** The option of every command that acts. */
export const actAsOption = ['--as <handle>', 'Maintainer to act as; optional if there is only one'] as const;

/**
 * @param handle null for the only maintainer
 * @throws StartError when there is no maintainer; WrongCommandLine when it is unclear which one is meant
 */
export async function actAs(ctx: Ctx, handle: string | null): Promise<AgentCtx> {
  const maintainers = await findMaintainers(ctx);
  const [only] = maintainers;
  if (only === undefined) {
    throw new StartError('This hub has no maintainer. Name one with `hub maintainers add <handle>`.', {
      isSetting: true,
    });
  }
  const names = maintainers.map((agent) => agent.handle).join(', ');
  if (handle === null && maintainers.length > 1) {
    throw new WrongCommandLine(`There are several maintainers. Name one with --as: ${names}.`);
  }
  const acting = handle === null ? only : maintainers.find((agent) => agent.handle === handle);
  if (acting === undefined)
    throw new WrongCommandLine(`\`${handle}\` is not a maintainer. Maintainers: ${names}.`);
  return { ...ctx, agent: acting };
}
