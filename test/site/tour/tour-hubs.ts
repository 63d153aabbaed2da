/** Hubs in every state that pages must show. */
import type { Dialect } from '#db/dialect.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { type Filling, fillTourHub, type TourHub } from './fill-tour-hub.ts';
import { openFullHub } from './full-hub.ts';

export const fillings: readonly Filling[] = ['empty', 'one', 'demo', 'many'];

export async function openTourHub(filling: Filling, dialect: Dialect): Promise<TourHub> {
  if (filling === 'many' && dialect === 'sqlite') return openFullHub();
  return fillTourHub(filling, await openScratchStore(dialect));
}
