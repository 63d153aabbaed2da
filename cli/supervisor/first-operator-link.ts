/** The link that signs the operator in after the first start. `hub operator-link` makes further ones. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '#runtime/settings/settings.ts';
import { requestOperatorLink } from '../hub/operator-link.ts';
import type { SupervisorLog } from './supervisor-log.ts';

/** In DATA_DIR. That the key is there says nothing: starts that failed, and `hub setup`, make it too. */
const noteFile = 'operator-link-made';
const ownerOnly = 0o600;

/** @returns null if an earlier start has made one, or the operator has set the key */
export async function firstOperatorLink(
  settings: Settings,
  operatorKey: string,
  log: SupervisorLog,
): Promise<string | null> {
  const note = join(settings.dataDir, noteFile);
  if (settings.operatorKey !== null || existsSync(note)) return null;
  try {
    const link = await requestOperatorLink(settings, operatorKey);
    writeFileSync(note, '', { mode: ownerOnly });
    return link;
  } catch (error) {
    log.warn({ cause: String(error) }, 'no sign-in link for the operator');
    return null;
  }
}
