/** All measures. Each returns its rows for one store. */
import type { BenchEnvironment } from '../bench-environment.ts';
import type { Row } from '../table.ts';
import { measureBalance } from './measure-balance.ts';
import { measureEvalRuns } from './measure-eval-runs.ts';
import { measureGrowth } from './measure-growth.ts';
import { measureLargeSuite } from './measure-large-suite.ts';
import { measurePages } from './measure-pages.ts';
import { measureRedemptions } from './measure-redemptions.ts';
import { measureRest } from './measure-rest.ts';
import { measureScaling } from './measure-scaling.ts';
import { measureSeats } from './measure-seats.ts';

export interface Measure {
  readonly about: string;
  measure(env: BenchEnvironment): Promise<readonly Row[]>;
}

export const measures = {
  redemptions: {
    about: 'accepted redemptions, compared with a bare durable insert',
    measure: measureRedemptions,
  },
  'eval-runs': {
    about: 'eval runs with an instant target, compared with BullMQ no-op jobs',
    measure: measureEvalRuns,
  },
  balance: { about: 'the authenticated balance, compared with one prepared select', measure: measureBalance },
  seats: {
    about: 'seats of one hot event and of a thousand, compared with a row lock per request',
    measure: measureSeats,
  },
  scaling: {
    about: 'two worker processes, compared with one, when jobs wait for their targets',
    measure: measureScaling,
  },
  growth: {
    about: 'hot paths with a million agents, threads, entries and runs, compared with a thousand',
    measure: measureGrowth,
  },
  pages: {
    about:
      'pages of the site with a million rows, compared with one that reads nothing, and the API beside a crawler',
    measure: measurePages,
  },
  'large-suite': {
    about: 'memory, time and health during the largest run of a suite, pushed and fetched',
    measure: measureLargeSuite,
  },
  rest: { about: 'memory and CPU of the idle hub', measure: measureRest },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;
