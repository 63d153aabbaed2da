/** What an error of the hub says to a person at the command line. Its hints also address programs that call the API. */
import type { HubError } from './hub-error.ts';

const namesOperation = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1\//;

/** @param tokenAdvice how to get another token */
export function adviceIn(
  { status, message, hint }: Pick<HubError, 'status' | 'message' | 'hint'>,
  tokenAdvice: string,
): string {
  const advice = status === 401 ? tokenAdvice : hint;
  const sentences = `${message} ${advice}`.trim().split(/(?<=[.!?]) (?=[A-Z\u0060])/);
  return sentences.filter((sentence) => !namesOperation.test(sentence)).join(' ');
}
