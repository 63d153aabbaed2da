/** CPU time and memory of processes, from /proc on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The unit of `utime` and `stime` (USER_HZ, proc_pid_stat(5)), which is 100 on every Linux that Bun runs on.
 */
const tickMs = 10;
const kibPerMb = 1024;

export const canSeeProcesses = process.platform === 'linux';

/** CPU time of a process with all its threads, in steps of 10 ms; 0 after its end and without /proc. */
export function cpuMsOf(pid: number): number {
  const fields = statFieldsOf(pid);
  // Fields 14 and 15 of proc_pid_stat(5); the list starts with the third.
  return fields === null ? 0 : (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** A process and all its descendants. */
export function processTree(rootPid: number): readonly number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const parent = Number.isInteger(pid) ? statFieldsOf(pid)?.[1] : undefined;
    if (parent !== undefined)
      childrenOf.set(Number(parent), [...(childrenOf.get(Number(parent)) ?? []), pid]);
  }
  const tree = [rootPid];
  // The list grows during the loop. A process has one parent, so the loop ends.
  for (const pid of tree) tree.push(...(childrenOf.get(pid) ?? []));
  return tree;
}

export interface MemoryUse {
  /** Resident: shared pages count in each process. */
  readonly rssMb: number;
  /** Proportional: a shared page counts once, divided among its processes. The sum is the memory in use. */
  readonly pssMb: number;
}

export function memoryOf(pids: readonly number[]): MemoryUse {
  let rssMb = 0;
  let pssMb = 0;
  for (const pid of pids) {
    const rollup = readProcessFile(pid, 'smaps_rollup') ?? '';
    rssMb += kibibytes(rollup, 'Rss') / kibPerMb;
    pssMb += kibibytes(rollup, 'Pss') / kibPerMb;
  }
  return { rssMb, pssMb };
}

function kibibytes(rollup: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0);
}

/** The fields after the command name, which is in parentheses and may contain anything. */
function statFieldsOf(pid: number): readonly string[] | null {
  const stat = readProcessFile(pid, 'stat');
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProcessFile(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null; // It has ended or belongs to another user.
  }
}
