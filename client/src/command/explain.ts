import { adviceIn } from '../advice.ts';
import { HubError } from '../hub-error.ts';

const tokenAdvice =
  'It has expired, or belongs to another hub. Set HUB_TOKEN to another one, or add --key FILE, which logs in each time.';

/** What went wrong, for a user. */
export function explain(error: unknown): string {
  if (error instanceof HubError) return adviceIn(error, tokenAdvice);
  if (!(error instanceof Error)) throw error;
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
