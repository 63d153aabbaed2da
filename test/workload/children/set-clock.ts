/**
 * Loaded into a process of the hub. Shifts every clock that JavaScript can read by the milliseconds in the file
 * `CLOCK_FILE`. Timers keep their time, as they do when a system's clock is set.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_FILE'];
if (file === undefined) throw new Error('CLOCK_FILE must name the file with the offset of the clock.');
const lookEveryMs = 50;

const SystemDate = Date;
let aheadMs = 0;

class SetDate extends SystemDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(SetDate.now());
    else super(...(given as [number]));
  }
  static override now(): number {
    return SystemDate.now() + aheadMs;
  }
}

globalThis.Date = SetDate as DateConstructor;
setInterval(() => {
  aheadMs = Number(readFileSync(file, 'utf8'));
}, lookEveryMs).unref();
