/** Explains to the user why a request got no response. */

/** @param error the error thrown by `fetch` */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'the cause is unknown';
  if ('code' in error && error.code === 'ECONNREFUSED') return 'nothing is listening there';
  return error.message.replace(/\.$/, '');
}
