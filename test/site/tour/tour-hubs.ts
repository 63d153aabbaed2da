/** Hubs in every state that pages must show. */
import type { Dialect } from '#db/dialect.ts';
import { type Filling, fillTourHub, type TourHub } from './fill-tour-hub.ts';
import { openFullHub } from './full-hub.ts';

export const fillings: readonly Filling[] = ['empty', 'one', 'demo', 'many'];

export function openTourHub(filling: Filling, dialect: Dialect): Promise<TourHub> {
  return filling === 'many' && dialect === 'sqlite' ? openFullHub() : fillTourHub(filling, dialect);
}
