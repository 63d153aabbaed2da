import { eraseParts } from '#domain/erasing/erase-parts.ts';
import type { Ctx } from '#domain/context.ts';

/** What the sweeper does until nothing is left to erase. */
export async function eraseAll(ctx: Ctx): Promise<void> {
  while ((await eraseParts(ctx)) > 0);
}
