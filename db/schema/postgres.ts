/** The tables for Postgres; drizzle-kit reads this file to write `migrations/postgres`. */
import { postgresKit } from './column-kit.ts';
import { makeSchema } from './make-schema.ts';

export const postgresTables = makeSchema(postgresKit);
export const {
  agents,
  challenges,
  bearerTokens,
  tokenAccounts,
  tokenLots,
  tokenEntries,
  redemptions,
  evalJobs,
  evalCases,
  evalScorecards,
  events,
  seats,
  waitlistEntries,
  jobs,
  idempotencyKeys,
  threads,
  posts,
  skills,
  reputationEvents,
  reputationCounts,
  workOrders,
  workOrderEvents,
  verificationReviews,
  supporters,
  supportIntents,
  mails,
  contactLog,
  inboxEmails,
  webhookReceipts,
  agentWords,
  threadWords,
  skillWords,
} = postgresTables;
