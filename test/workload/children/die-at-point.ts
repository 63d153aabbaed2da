/**
 * Loaded into a process of the hub. Kills it with SIGKILL the `CRASH_ON_PASS`th time it passes `CRASH_AT`, counted once
 * it has passed `CRASH_AFTER_STEPS` points or worked for `CRASH_AFTER_MS`. A process that does not reach its point
 * within `CRASH_REACH_MS` of that is killed with SIGUSR2, so that the two cases can be told apart.
 */
// A relative path, because the compiled hub that loads this file does not read `package.json`.
import { watchCrashPoints } from '../../../runtime/process/crash-points.ts';

function settingOf(name: string): number {
  return Number(process.env[name]);
}

const point = process.env['CRASH_AT'];
const reachMs = settingOf('CRASH_REACH_MS');
const afterMs = settingOf('CRASH_AFTER_MS');
let stepsLeft = settingOf('CRASH_AFTER_STEPS');
let passesLeft = settingOf('CRASH_ON_PASS');
/** Times count from the first step, because the time to start depends on the machine. */
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
