/**
 * Loaded before a process of the hub: has it die, as by SIGKILL, the `CRASH_ON_PASS`th time it passes `CRASH_AT` once it has
 * worked for `CRASH_AFTER_STEPS` points or `CRASH_AFTER_MS`. One that does not come to its point within `CRASH_REACH_MS` of
 * that dies wherever it is, by SIGUSR2, which tells the two apart.
 */
import { watchCrashPoints } from '#runtime/process/crash-points.ts';

function settingOf(name: string): number {
  return Number(process.env[name]);
}

const point = process.env['CRASH_AT'];
const reachMs = settingOf('CRASH_REACH_MS');
const afterMs = settingOf('CRASH_AFTER_MS');
let stepsLeft = settingOf('CRASH_AFTER_STEPS');
let passesLeft = settingOf('CRASH_ON_PASS');
/** Times count from the first step on, as a start takes as long as the machine lets it. */
let firstStepAt: number | null = null;
let isDue = false;

function becomeDue(): void {
  isDue = true;
  setTimeout(() => process.kill(process.pid, 'SIGUSR2'), reachMs);
}

watchCrashPoints((passed) => {
  firstStepAt ??= performance.now();
  stepsLeft -= 1;
  if (!isDue && (stepsLeft < 0 || performance.now() > firstStepAt + afterMs)) becomeDue();
  if (!isDue || passed !== point) return;
  passesLeft -= 1;
  if (passesLeft <= 0) process.kill(process.pid, 'SIGKILL');
});
