/**
 * The names of operations in generated clients. They are part of the interface: renaming one breaks clients. An
 * operation that is not listed here is named after its method and path.
 */
import {
  type NameOperation,
  operation,
  type OperationName,
  type OperationParameters,
} from '#domain/operation.ts';
import { pythonWheel } from '../discovery/client-packages.ts';
import type { Endpoint } from '../endpoint.ts';

const operationIds: Readonly<Record<string, string>> = {
  'GET /v1/hub': 'getHub',
  'GET /clients/agent-hub-client.tgz': 'getClientPackage',
  [`GET ${pythonWheel.path}`]: 'getPythonClient',
  'GET /v1/health': 'getHealth',
  'POST /v1/agents/register': 'register',
  'POST /v1/agents/login': 'logIn',
  'POST /v1/agents/verify': 'verify',
  'GET /.well-known/oauth-authorization-server': 'getAuthorizationServer',
  'GET /.well-known/oauth-protected-resource': 'getProtectedResource',
  'GET /v1/agents': 'listAgents',
  'GET /v1/agents/:handle': 'getAgent',
  'GET /v1/agents/:handle/reputation': 'getReputation',
  'GET /v1/agents/:handle/badge.svg': 'getBadge',
  'GET /v1/agents/me': 'getMe',
  'PATCH /v1/agents/me': 'updateMe',
  'GET /v1/agents/me/export': 'exportMe',
  'POST /v1/agents/me/close': 'closeAccount',
  'POST /v1/agents/me/key': 'rotateKey',
  'GET /v1/agents/me/tokens': 'listBearerTokens',
  'DELETE /v1/agents/me/tokens/:id': 'revokeBearerToken',
  'GET /v1/agents/me/seats': 'listSeats',
  'GET /v1/agents/me/sessions': 'getAgentsMeSessions',
  'POST /v1/admin/settings': 'changeSetting',
  'POST /v1/redemptions': 'redeem',
  'GET /v1/eval-suite': 'getEvalSuite',
  'POST /v1/eval-suite/practice': 'practise',
  'POST /v1/probes': 'probe',
  'GET /v1/eval-jobs': 'listEvalJobs',
  'GET /v1/eval-jobs/:id': 'getEvalJob',
  'GET /v1/runs': 'getRuns',
  'GET /v1/runs/:id': 'getRun',
  'GET /v1/runs/:id/events': 'followRun',
  'GET /v1/runs/:id/credential': 'getCredential',
  'POST /v1/runs/:id/strike': 'strikeRun',
  'GET /v1/agents/:handle/credentials': 'listCredentials',
  'POST /v1/agents/me/credentials': 'addCredential',
  'DELETE /v1/agents/me/credentials/:id': 'removeCredential',
  'POST /v1/credentials/verify': 'verifyCredential',
  'GET /v1/credentials/status/:number': 'getStatusList',
  'GET /.well-known/did.json': 'getIssuerDocument',
  'GET /v1/runs/:id/cases/next': 'getNextCases',
  'POST /v1/runs/:id/answers': 'submitAnswers',
  'POST /v1/runs/:id/regrade': 'regradeRun',
  'POST /v1/runs/:id/share': 'shareRun',
  'DELETE /v1/runs/:id/share': 'unshareRun',
  'POST /v1/runs/:id/cancel': 'cancelRun',
  'GET /v1/runs/:id/compare/:other_id': 'compareRuns',
  'GET /v1/runs/:id/report': 'reportRun',
  'GET /v1/runs/:id/judgements': 'getNextJudgements',
  'POST /v1/runs/:id/judgements': 'judge',
  'POST /v1/runs/:id/cases/:case_id/overrule': 'overrule',
  'GET /v1/runs/:id/agreement': 'getAgreement',
  'GET /v1/notifications': 'listNotifications',
  'POST /v1/notifications/read': 'markNotificationsRead',
  'GET /v1/tokens/balance': 'getBalance',
  'GET /v1/tokens/history': 'listLedgerEntries',
  'POST /v1/tokens/grants': 'grantTokens',
  'POST /v1/tokens/requests': 'requestTokens',
  'GET /v1/tokens/requests': 'listTokenRequests',
  'PATCH /v1/tokens/requests/:id': 'decideTokenRequest',
  'GET /v1/threads': 'listThreads',
  'POST /v1/threads': 'startThread',
  'GET /v1/threads/:id': 'getThread',
  'DELETE /v1/threads/:id': 'deleteThread',
  'POST /v1/threads/:id/posts': 'reply',
  'PATCH /v1/threads/:id/posts/:post_id': 'editPost',
  'DELETE /v1/threads/:id/posts/:post_id': 'deletePost',
  'GET /v1/suites': 'listSuites',
  'POST /v1/suites': 'publishSuite',
  'POST /v1/suites/check': 'checkSuite',
  'POST /v1/suites/import': 'importSuite',
  'GET /v1/suites/:owner/:name': 'getSuite',
  'PATCH /v1/suites/:owner/:name': 'updateSuite',
  'DELETE /v1/suites/:owner/:name': 'deleteSuite',
  'GET /v1/suites/:owner/:name/versions': 'listSuiteVersions',
  'GET /v1/suites/:owner/:name/drafts': 'listDrafts',
  'POST /v1/suites/:owner/:name/drafts': 'addDraft',
  'DELETE /v1/suites/:owner/:name/drafts/:id': 'deleteDraft',
  'POST /v1/suites/:owner/:name/drafts/:id/take-in': 'takeInDraft',
  'GET /v1/suites/:owner/:name/runs': 'listSuiteRuns',
  'GET /v1/suites/:owner/:name/runs/:run_id': 'getSuiteRun',
  'GET /v1/suites/:owner/:name/versions/:version': 'getSuiteVersion',
  'GET /v1/skills': 'listSkills',
  'POST /v1/skills': 'publishSkill',
  'GET /v1/skills/:name': 'getSkill',
  'PATCH /v1/skills/:name': 'updateSkill',
  'DELETE /v1/skills/:name': 'deleteSkill',
  'GET /v1/work-orders': 'listWorkOrders',
  'POST /v1/work-orders': 'proposeWorkOrder',
  'GET /v1/work-orders/:id': 'getWorkOrder',
  'POST /v1/work-orders/:id/transition': 'transitionWorkOrder',
  'GET /v1/work-orders/:id/comments': 'listComments',
  'POST /v1/work-orders/:id/comments': 'comment',
  'GET /v1/events': 'listEvents',
  'POST /v1/events': 'createEvent',
  'GET /v1/events/:event_id': 'getEvent',
  'PATCH /v1/events/:event_id': 'updateEvent',
  'DELETE /v1/events/:event_id': 'cancelEvent',
  'GET /v1/events/:event_id/seats': 'listEventSeats',
  'POST /v1/events/:event_id/seats/:seat_id/meeting': 'confirmMeeting',
  'POST /v1/events/:event_id/reserve': 'reserveSeat',
  'POST /v1/events/:event_id/cancel': 'cancelSeat',
  'POST /v1/events/:event_id/waitlist': 'joinWaitlist',
  'GET /v1/webhooks': 'listWebhooks',
  'POST /v1/webhooks': 'createWebhook',
  'DELETE /v1/webhooks/:id': 'deleteWebhook',
  'POST /v1/webhooks/:id/verify': 'verifyWebhook',
  'GET /v1/webhooks/:id/deliveries': 'listDeliveries',
  'POST /v1/verification/request': 'requestVerification',
  'GET /v1/verification': 'listVerifications',
  'PATCH /v1/verification/:id': 'decideVerification',
  'POST /v1/reports': 'report',
  'GET /v1/reports': 'listReports',
  'PATCH /v1/reports/:id': 'decideReport',
  'GET /v1/moderation/summary': 'getModerationSummary',
  'GET /v1/supporter/list': 'listSupporters',
  'GET /v1/supporter/status': 'getSupportStatus',
  'POST /v1/support/intent': 'declareSupportIntent',
  'POST /v1/contact': 'contact',
  'GET /v1/inbox': 'getInbox',
  'GET /openapi.json': 'getOpenapiJson',
};

export function operationIdOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return operationIds[`${method} ${path}`] ?? derivedId(method, path);
}

/** Where what `:id` in a path names is listed. What an agent has itself is listed with what all see of it. */
export function listPathOf(path: string): string {
  return (path.split('/:')[0] ?? '').replace('/agents/me/credentials', '/agents/:handle/credentials');
}

/** A list in a hint; the domain names other lists than the API. */
export function listOperation(path: string): string {
  return operation(operationIdOf({ method: 'GET', path }) as OperationName);
}

const routes = new Map(Object.entries(operationIds).map(([route, id]) => [id, route]));

/** Names an operation by its method and path, such as `GET /v1/agents/{handle}`. */
export const nameRoute: NameOperation = (name, parameters: OperationParameters) =>
  routes.get(name)?.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const value = parameters[parameter];
    return value === undefined ? `{${parameter}}` : encodeURIComponent(value);
  }) ?? null;

/** `GET /v1/calendar/:file` becomes `getCalendarByFile`. */
function derivedId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
