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
