/**
 * Loaded before a process of the hub: its clock is as many milliseconds ahead as the file `CLOCK_FILE` says, from when it is
 * written on. All that reads the time in JavaScript reads this clock; timers run on, as they do when a system's clock is set.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_FILE'];
if (file === undefined) throw new Error('CLOCK_FILE names the file that says how far the clock is ahead.');
const lookEveryMs = 50;

const SystemDate = Date;
let aheadMs = 0;

class SetDate extends SystemDate {
  // As `Date` takes them: none for the present, or a time in any of its forms.
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
