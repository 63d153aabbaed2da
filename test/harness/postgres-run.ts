/** What the test files and the keeper of their shared Postgres cluster must agree on. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ReadyCluster {
  readonly url: string;
  readonly keeperPid: number;
}

/** Written in the run's folder once the cluster takes connections. */
export const READY_FILE = 'ready.json';
/** Written instead when it does not start; holds the reason. */
export const FAILED_FILE = 'failed.txt';

/** One folder per test run, named after the process that lives as long as the run. */
export function clusterFolder(ownerPid: number): string {
  return join(tmpdir(), `agent-hub-postgres-${ownerPid}`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
