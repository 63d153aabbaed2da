import { adviceIn } from '../advice.ts';
import { ChallengeError } from '../challenge.ts';
import { HubError } from '../hub-error.ts';
import { KeyFileFault } from '../key-file.ts';
import { NotPossible } from './connection.ts';
import { UsageFault } from './options.ts';
import { ProgramFault } from './program-texts.ts';

const tokenAdvice =
  'It has expired, or belongs to another hub. Set HUB_TOKEN to another one, or add --key FILE, which logs in each time.';

/** What went wrong, for errors that a user can fix. Others are thrown on. */
export function explain(error: unknown): string {
  if (error instanceof HubError) return adviceIn(error, tokenAdvice);
  const isExplained =
    error instanceof UsageFault ||
    error instanceof NotPossible ||
    error instanceof ProgramFault ||
    error instanceof KeyFileFault ||
    error instanceof ChallengeError;
  if (isExplained) return error.message;
  if (!(error instanceof Error)) throw error;
  const { cause } = error;
  return cause instanceof Error && cause.message !== ''
    ? `${error.message}: ${cause.message}`
    : error.message;
}
