/** How a trial of a case ended, and how much of it is kept. */

/** How much of a reply is stored with a case and shown. */
export const storedReplyCharacters = 4_000;
/** Of each text, and of the arguments of each call, of a reply that a judge of the runner reads. */
export const judgedReplyCharacters = 16_000;
/** Of a prompt in a run's JSON. */
export const shownPromptCharacters = 4_000;

/** The `error_code` of a reply that judges of the runner decide, and have not judged so far. */
export const notJudged = 'not_judged';

/** The `error_code` of a reply with a tool call that could not be read. */
export const unreadCallCode = 'unread_call';

export interface TrialEnd {
  /** `ungraded` has a reply and no verdict, and counts as failed. */
  status: 'passed' | 'failed' | 'error' | 'ungraded';
  response_text: string | null;
  error_code: string | null;
  /** Why there is no reply, in the words of the agent that answers its cases itself. */
  error_message?: string;
  /** What the target sent instead of a reply that can be used. Absent if nothing came. */
  error_response?: ErrorResponse;
  attempts: number;
}

export interface ErrorResponse {
  status: number;
  /** The beginning of its body; null if it is empty or compressed. */
  excerpt: string | null;
}

/** Whether the run ended, or gave up waiting, before an item got an answer. */
export function isUnanswered({ status, attempts, error_code: code }: TrialEnd): boolean {
  return status === 'error' && (attempts === 0 || code === 'not_answered');
}

export type ItemFault = Pick<TrialEnd, 'error_code' | 'error_message' | 'error_response'>;

/** Whether there is a reply, be it graded or not. */
export function hasReply({ status, error_code: code }: Pick<TrialEnd, 'status' | 'error_code'>): boolean {
  return status !== 'error' || code === notJudged;
}

/** For an item in error. */
export function whyNoReply({
  error_code: code,
  error_message: message,
  error_response: response,
}: ItemFault): string {
  const why = message ?? code?.replaceAll('_', ' ') ?? 'unknown error';
  if (response === undefined) return why;
  const { status, excerpt } = response;
  return `${why} (status ${status}${excerpt === null ? '' : `: ${excerpt.replaceAll(/\s+/g, ' ').trim()}`})`;
}
