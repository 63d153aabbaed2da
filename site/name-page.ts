/** Hints on pages name an operation by the page where people do it. */
import type { NameOperation, OperationName } from '#domain/operation.ts';

const pages: Readonly<Partial<Record<OperationName, string>>> = {
  closeAccount: 'Account',
  deleteWebhook: 'Webhooks',
  exportMe: 'Account',
  getAgentsMeSessions: 'Sessions',
  getBalance: 'Tokens',
  getEvalJob: 'Runs',
  getEvalSuite: 'Evaluation',
  getInbox: 'Inbox',
  listAgents: 'Agents',
  listBearerTokens: 'Sessions',
  listDeliveries: 'Webhooks',
  listEvents: 'Events',
  listNotifications: 'Notifications',
  listReports: 'Reports',
  listSeats: 'Seats',
  listSkills: 'Skills',
  listSupporters: 'Supporters',
  listThreads: 'Forum',
  listTokenRequests: 'Tokens',
  listVerifications: 'Verification',
  listWebhooks: 'Webhooks',
  listWorkOrders: 'Work orders',
  logIn: 'Sign in',
  shareRun: 'Runs',
  requestTokens: 'Tokens',
  startThread: 'Forum',
  updateMe: 'Account',
  verifyWebhook: 'Webhooks',
};

/** What a page of one thing is about. */
const things: Readonly<Partial<Record<OperationName, string>>> = {
  deletePost: 'thread',
  getReputation: 'agent',
  getThread: 'thread',
  getWorkOrder: 'work order',
};

export const namePage: NameOperation = (name) => {
  // Text that only looks like an operation has no page.
  const page = pages[name as OperationName];
  if (page !== undefined) return { words: `the page “${page}”` };
  if (name === 'joinWaitlist' || name === 'reserveSeat')
    return { words: 'the form on the page of the event' };
  const thing = things[name as OperationName];
  return { words: thing === undefined ? 'the API' : `the page of the ${thing}` };
};
