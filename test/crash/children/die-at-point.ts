/** Loaded before a process of the hub: has it die, as by SIGKILL, the `CRASH_ON_PASS`th time it passes `CRASH_AT`. */
import { watchCrashPoints } from '#runtime/crash-points.ts';

const point = process.env['CRASH_AT'];
let left = Number(process.env['CRASH_ON_PASS'] ?? '1');

watchCrashPoints((passed) => {
  if (passed !== point) return;
  left -= 1;
  if (left <= 0) process.kill(process.pid, 'SIGKILL');
});
