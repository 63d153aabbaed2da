import type { Category, Kind } from '../../task.ts';
import { arithmetic } from './arithmetic.ts';
import { makeBoxes } from './boxes.ts';
import { ledgers } from './ledgers.ts';
import { makeSeats } from './seats.ts';
import { stepsWithin } from './step-counts.ts';

/** For the longest form, things in boxes. */
const tokensAStep = 23;

/** People in seats or things in boxes, moved step by step. */
const state: Kind = {
  name: 'state',
  make: (random, level, limits) =>
    random.pick([makeSeats, makeBoxes])(random, level, stepsWithin(level, limits, tokensAStep)),
};

export const category: Category = {
  name: 'execution',
  description: 'Carrying out many steps in order without losing track.',
  kinds: [ledgers, arithmetic, state],
};
