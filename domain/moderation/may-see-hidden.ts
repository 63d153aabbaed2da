import { isMaintainer } from '../agents/require-maintainer.ts';
import type { ActingAgent, Ctx } from '../context.ts';

/** Whether the viewer may see hidden content: its author and maintainers may. */
export function maySeeHidden(ctx: Ctx, viewer: ActingAgent | null, authorId: string): boolean {
  return viewer !== null && (viewer.id === authorId || isMaintainer({ ...ctx, agent: viewer }));
}
