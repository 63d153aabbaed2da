/** The memory of the processes of a hub, on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessPeak {
  readonly pid: number;
  /** The arguments of the process: the program of the hub, such as `api` or `place`. */
  readonly name: string;
  peakMb: number;
}

const lookEveryMs = 25;
const kibInMb = 1024;

/**
 * @param root the process whose descendants are watched, with itself
 * @returns the peak of each process that lived meanwhile, by its id
 */
export async function watchMemoryDuring(
  root: number,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<number, ProcessPeak>> {
  const peaks = new Map<number, ProcessPeak>();
  const look = (): void => {
    for (const pid of descendantsOf(root)) {
      const mb = residentMb(pid);
      const known = peaks.get(pid);
      if (known === undefined) peaks.set(pid, { pid, name: nameOf(pid), peakMb: mb });
      else known.peakMb = Math.max(known.peakMb, mb);
    }
  };
  const timer = setInterval(look, lookEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
    look();
  }
  return peaks;
}

function descendantsOf(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(/\) \S (\d+)/.exec(read(`/proc/${entry}/stat`))?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found: number[] = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / kibInMb;
}

function nameOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split('\0').slice(1).join(' ').trim();
}

/** Empty when the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
