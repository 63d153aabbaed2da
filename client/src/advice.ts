/** What a refusal of the hub says to who types a command. Its hints are also for programs that call the API. */
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
