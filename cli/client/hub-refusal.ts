/** What the command line refuses, and why a hub cannot be reached. */
import { startCommand } from '#runtime/project-files.ts';

/** Something that cannot be done. The message says why, and what to do. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
}

const answerTimeoutMs = 15_000;

/**
 * Checks a hub first, because calls of the client are retried for a while.
 * @throws HubRefusal if nothing responds at the URL
 */
export async function requireHub(url: string): Promise<void> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  await fetch(`${url}/livez`, { redirect: 'manual', signal }).catch((error: unknown) => {
    throw new HubRefusal(`Cannot reach a hub at ${url}: ${whyNoAnswer(error)}. ${wayOut(error)}`);
  });
}

/** @param error the error thrown by `fetch` */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'the cause is unknown';
  if ('code' in error && error.code === 'ECONNREFUSED') return 'nothing is listening there';
  if (isUnresolved(error)) return 'its name does not resolve';
  return error.message.replace(/\.$/, '');
}

function wayOut(error: unknown): string {
  return isUnresolved(error)
    ? 'Create its DNS record, or correct the address: it is from --hub, HUB_URL or the BASE_URL of the hub.'
    : `Start one with \`${startCommand}\`, or set HUB_URL to the address of another.`;
}

/** Whether no address was found for the name in the URL. */
function isUnresolved(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unresolvedCodes.has(String(error.code));
}

const unresolvedCodes = new Set(['ENOTFOUND', 'EAI_AGAIN']);
