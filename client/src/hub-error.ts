/** An error response of the hub: act on `code`, read `message` and `hint`. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly requestId: string | null;
  /** Further fields of the response, such as `faults`. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, body: unknown) {
    const {
      error,
      message,
      hint,
      request_id: requestId,
      ...fields
    } = (body ?? {}) as Record<string, unknown>;
    super(typeof message === 'string' ? message : `The hub responded with status ${status}.`);
    this.status = status;
    this.code = typeof error === 'string' ? error : 'unknown';
    this.hint = typeof hint === 'string' ? hint : '';
    this.requestId = typeof requestId === 'string' ? requestId : null;
    this.fields = fields;
  }
}

const namesOperation = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1\//;

/**
 * What an error says to a person at the command line. Its hints also address programs that call the API.
 * @param tokenAdvice how to get another token
 */
export function adviceIn(
  { status, message, hint }: Pick<HubError, 'status' | 'message' | 'hint'>,
  tokenAdvice: string,
): string {
  const advice = status === 401 ? tokenAdvice : hint;
  const sentences = `${message} ${advice}`.trim().split(/(?<=[.!?]) (?=[A-Z\u0060])/);
  return sentences.filter((sentence) => !namesOperation.test(sentence)).join(' ');
}
