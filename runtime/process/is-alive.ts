import { readFileSync } from 'node:fs';

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What Linux tells of a process, from its state on (proc(5), field 3); null elsewhere, and for one that has ended. */
export function statusOf(pid: number): readonly string[] | null {
  try {
    // The name of the program, before it, may contain spaces and brackets.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^[^]*\) /, '')
      .trim()
      .split(' ');
  } catch {
    return null;
  }
}

/** The unit of `utime` and `stime` (USER_HZ), which is 100 on every Linux that Bun runs on. */
const tickMs = 10;

/** CPU time of a process with all its threads, in steps of 10 ms; null as in `statusOf`. */
export function cpuMsOf(pid: number): number | null {
  const status = statusOf(pid);
  return status === null ? null : (Number(status[11]) + Number(status[12])) * tickMs;
}
