/**
 * How hints name an operation of the hub. The domain knows only its id; each door names it for its callers: the method
 * and path over HTTP, the tool over MCP, the page on the site, the command in a shell.
 */

/** The ids of operations that hints name, as in `api/openapi/operation-ids.ts`. */
export type OperationName =
  | 'checkSuite'
  | 'closeAccount'
  | 'deletePost'
  | 'deleteSuite'
  | 'deleteWebhook'
  | 'exportMe'
  | 'getAgentsMeSessions'
  | 'getBalance'
  | 'getEvalJob'
  | 'getEvalSuite'
  | 'getHub'
  | 'getInbox'
  | 'getNextCases'
  | 'getOpenapiJson'
  | 'getReputation'
  | 'getRun'
  | 'getRuns'
  | 'getThread'
  | 'getWorkOrder'
  | 'joinWaitlist'
  | 'listAgents'
  | 'listBearerTokens'
  | 'listCredentials'
  | 'listDeliveries'
  | 'listEvents'
  | 'listNotifications'
  | 'listReports'
  | 'listSeats'
  | 'listSkills'
  | 'listSuiteRuns'
  | 'listSuites'
  | 'listSupporters'
  | 'listThreads'
  | 'listTokenRequests'
  | 'listVerifications'
  | 'listWebhooks'
  | 'listWorkOrders'
  | 'logIn'
  | 'shareRun'
  | 'practise'
  | 'publishSuite'
  | 'register'
  | 'removeCredential'
  | 'report'
  | 'requestTokens'
  | 'reserveSeat'
  | 'startThread'
  | 'updateMe'
  | 'updateSuite'
  | 'verify'
  | 'verifyCredential'
  | 'verifyWebhook';

/** Values of path parameters. */
export type OperationParameters = Readonly<Record<string, string>>;

/** A place in a hint that `nameOperations` replaces. Without parameters, the name has placeholders for them. */
export function operation(name: OperationName, parameters: OperationParameters = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? `[[${name}]]` : `[[${name}?${query}]]`;
}

/** Words for an operation that has no name of its own; they are not code, so they lose backticks. */
export interface OperationWords {
  readonly words: string;
}

/** Returns null for text that only looks like an operation. */
export type NameOperation = (name: string, parameters: OperationParameters) => string | OperationWords | null;

const places = /(`?)\[\[(\w{1,60})(?:\?([\w%&=.*+-]{1,500}))?\]\](`?)/g;

/** Names the operations of a hint as a door does. */
export function nameOperations(hint: string, nameOf: NameOperation): string {
  return hint.replaceAll(
    places,
    (place: string, before: string, name: string, query: string | undefined, after: string, at: number) => {
      const found = nameOf(name, Object.fromEntries(new URLSearchParams(query ?? '')));
      if (found === null) return place;
      if (typeof found === 'string') return before + found + after;
      const { words } = found;
      const startsSentence = /(?:^|[.!?] )$/.test(hint.slice(0, at));
      const shown = startsSentence ? words.charAt(0).toUpperCase() + words.slice(1) : words;
      return before !== '' && after !== '' ? shown : before + shown + after;
    },
  );
}
