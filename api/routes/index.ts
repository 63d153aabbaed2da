/** All endpoints of the hub. */
import type { Endpoint } from '../endpoint.ts';
import { referenceEndpoints } from './reference.ts';
import * as routeFiles from './route-files.ts';

const lists: Readonly<Record<string, readonly Endpoint[]>> = routeFiles;

export const hubEndpoints: readonly Endpoint[] = [
  ...Object.values(lists).flat(),
  ...referenceEndpoints(() => hubEndpoints),
];
