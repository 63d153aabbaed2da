/** Why a call brought no answer, in words for whoever typed the command. */

/** @param error what `fetch` has thrown */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'the cause is unknown';
  if ('code' in error && error.code === 'ECONNREFUSED') return 'nothing listens there';
  return error.message.replace(/\.$/, '');
}
