/** The tables for SQLite; drizzle-kit reads this file to write `migrations/sqlite`. */
import { sqliteKit } from './sqlite-column-kit.ts';
import { makeSchema } from './make-schema.ts';

export const sqliteTables = makeSchema(sqliteKit);
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
} = sqliteTables;
