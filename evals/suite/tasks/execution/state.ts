/** State tracking: people in seats or things in boxes, moved step by step. */
import type { Kind } from '../../task.ts';
import { makeBoxes } from './boxes.ts';
import { makeSeats } from './seats.ts';
import { stepsWithin } from './step-counts.ts';

/** For the longest form, things in boxes. */
const tokensAStep = 23;

export const state: Kind = {
  name: 'state',
  make: (random, level, limits) =>
    random.pick([makeSeats, makeBoxes])(random, level, stepsWithin(level, limits, tokensAStep)),
};
