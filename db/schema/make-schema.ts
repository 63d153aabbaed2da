/** The hub's tables, written once. `sqlite.ts` and `postgres.ts` create them for their store. */
import type { ColumnKit } from './column-kit.ts';
import { makeAgentTables } from './agent-tables.ts';
import { makeCredentialTables } from './credential-tables.ts';
import { makeEventTables } from './event-tables.ts';
import { makeForumTables } from './forum-tables.ts';
import { makeHubTables } from './hub-tables.ts';
import { makeJobTables } from './job-tables.ts';
import { makeLeaderboardTables } from './leaderboard-tables.ts';
import { makeMailTables } from './mail-tables.ts';
import { makeModerationTables } from './moderation-tables.ts';
import { makeNotificationTables } from './notification-tables.ts';
import { makeOauthTables } from './oauth-tables.ts';
import { makeOperationTables } from './operation-tables.ts';
import { makeReputationTables } from './reputation-tables.ts';
import { makeRequestTables } from './request-tables.ts';
import { makeRunTables } from './run-tables.ts';
import { makeSearchTables } from './search-tables.ts';
import { makeSessionTables } from './session-tables.ts';
import { makeSharingTables } from './sharing-tables.ts';
import { makeSkillTables } from './skill-tables.ts';
import { makeStandingTables } from './standing-tables.ts';
import { makeSuiteTables } from './suite-tables.ts';
import { makeTokenTables } from './token-tables.ts';
import { makeWebhookTables } from './webhook-tables.ts';
import { makeWorkOrderTables } from './work-order-tables.ts';

export function makeSchema(kit: ColumnKit) {
  const agentTables = makeAgentTables(kit);
  const forumTables = makeForumTables(kit, agentTables.agents);
  const skillTables = makeSkillTables(kit, agentTables.agents);
  const suiteTables = makeSuiteTables(kit, agentTables.agents);
  const runTables = makeRunTables(kit, agentTables.agents);
  return {
    ...agentTables,
    ...makeTokenTables(kit, agentTables.agents),
    ...runTables,
    ...makeCredentialTables(kit, agentTables.agents, runTables.runs),
    ...makeLeaderboardTables(kit, agentTables.agents),
    ...makeEventTables(kit, agentTables.agents),
    ...makeJobTables(kit, agentTables.agents),
    ...forumTables,
    ...skillTables,
    ...suiteTables,
    ...makeSearchTables(kit),
    ...makeReputationTables(kit, agentTables.agents),
    ...makeWorkOrderTables(kit, agentTables.agents),
    ...makeStandingTables(kit, agentTables.agents),
    ...makeRequestTables(kit, agentTables.agents),
    ...makeMailTables(kit),
    ...makeWebhookTables(kit, agentTables.agents),
    ...makeSessionTables(kit, agentTables.agents, agentTables.bearerTokens),
    ...makeOauthTables(kit, agentTables.agents, agentTables.bearerTokens),
    ...makeSharingTables(kit, agentTables.agents),
    ...makeModerationTables(kit, agentTables.agents),
    ...makeNotificationTables(kit, agentTables.agents),
    ...makeOperationTables(kit),
    ...makeHubTables(kit, agentTables.agents),
  };
}

export type Tables = ReturnType<typeof makeSchema>;
