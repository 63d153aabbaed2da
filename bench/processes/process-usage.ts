/** CPU time and memory of processes, from /proc on Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpuMsOf, statusOf } from '#runtime/process/is-alive.ts';

const kibPerMb = 1024;

export const canSeeProcesses = process.platform === 'linux';

/** The CPU time of all of them. One that has ended counts as 0. */
export function cpuMsOfAll(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (cpuMsOf(pid) ?? 0), 0);
}

/** A process and all its descendants. */
export function processTree(rootPid: number): readonly number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const parent = Number.isInteger(pid) ? statusOf(pid)?.[1] : undefined;
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
    const rollup = readRollup(pid);
    rssMb += kibibytes(rollup, 'Rss') / kibPerMb;
    pssMb += kibibytes(rollup, 'Pss') / kibPerMb;
  }
  return { rssMb, pssMb };
}

function kibibytes(rollup: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0);
}

/** Empty if the process has ended or belongs to another user. */
function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    return '';
  }
}
