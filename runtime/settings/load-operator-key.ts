/**
 * The key that opens the operator pages. The operator sets it, or the hub creates and keeps one: an address, even
 * loopback, never grants an operator's rights, because a proxy on the same machine connects from loopback for everybody.
 */
import { join } from 'node:path';
import { StartError } from '../process/start-error.ts';
import { keepKey, readKeptKey } from './kept-key.ts';
import type { Settings } from './settings.ts';

/** In DATA_DIR. */
export const operatorKeyFile = 'operator-key';

type OperatorSettings = Pick<Settings, 'operatorKey' | 'dataDir' | 'database'>;

/**
 * Returns the operator's `OPERATOR_KEY`, or else the key in `DATA_DIR/operator-key`, created on first use (mode 0600).
 * Null if there is none: demo mode writes nothing, and a hub whose other settings need no DATA_DIR may be unable to
 * write there. Then the operator pages are closed.
 */
export async function loadOperatorKey(settings: OperatorSettings): Promise<string | null> {
  if (settings.operatorKey !== null) return settings.operatorKey;
  if (settings.database.kind === 'none') return null;
  try {
    return await keepKey(join(settings.dataDir, operatorKeyFile), 'OPERATOR_KEY');
  } catch (error) {
    if (error instanceof StartError && isWriteFault(error.cause)) return null;
    throw error;
  }
}

/** For commands on the hub's machine, which create nothing. Null if there is none. */
export async function findOperatorKey(
  settings: Pick<Settings, 'operatorKey' | 'dataDir'>,
): Promise<string | null> {
  return settings.operatorKey ?? (await readKeptKey(join(settings.dataDir, operatorKeyFile), 'OPERATOR_KEY'));
}

function isWriteFault(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
}
