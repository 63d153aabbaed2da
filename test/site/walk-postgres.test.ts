/** The walk through the site on Postgres. */
import { walkOn } from './tour/walk.ts';

walkOn('postgres');
