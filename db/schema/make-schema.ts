/** The hub's tables, written once. `sqlite.ts` and `postgres.ts` create them for their store. */
import type { ColumnKit } from './column-kit.ts';
import { makeAgentTables } from './agent-tables.ts';
import { makeEvalTables } from './eval-tables.ts';
import { makeEventTables } from './event-tables.ts';
import { makeForumTables } from './forum-tables.ts';
import { makeJobTables } from './job-tables.ts';
import { makeMailTables } from './mail-tables.ts';
import { makeReputationTables } from './reputation-tables.ts';
import { makeSearchTables } from './search-tables.ts';
import { makeSkillTables } from './skill-tables.ts';
import { makeStandingTables } from './standing-tables.ts';
import { makeTokenTables } from './token-tables.ts';
import { makeWebhookTables } from './webhook-tables.ts';
import { makeWorkOrderTables } from './work-order-tables.ts';

export function makeSchema(kit: ColumnKit) {
  const agentTables = makeAgentTables(kit);
  const forumTables = makeForumTables(kit, agentTables.agents);
  const skillTables = makeSkillTables(kit, agentTables.agents);
  return {
    ...agentTables,
    ...makeTokenTables(kit, agentTables.agents),
    ...makeEvalTables(kit, agentTables.agents),
    ...makeEventTables(kit, agentTables.agents),
    ...makeJobTables(kit, agentTables.agents),
    ...forumTables,
    ...skillTables,
    ...makeSearchTables(kit, agentTables.agents, forumTables.threads, skillTables.skills),
    ...makeReputationTables(kit, agentTables.agents),
    ...makeWorkOrderTables(kit, agentTables.agents),
    ...makeStandingTables(kit, agentTables.agents),
    ...makeMailTables(kit),
    ...makeWebhookTables(kit, agentTables.agents),
  };
}

export type Tables = ReturnType<typeof makeSchema>;
