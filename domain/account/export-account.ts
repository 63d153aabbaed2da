/** Exports everything that the hub holds about the acting agent, as the text of one JSON document. */
import { publishesHistory } from '../agents/publishes-history.ts';
import type { AgentCtx } from '../context.ts';
import { withChildren } from './export-children.ts';
import { type ExportRow, exportSections } from './export-sections.ts';
import { findOwnRow } from './find-own-row.ts';

/**
 * Yields parts of the document, so that an account of any size needs little memory. Pages are read one after the other;
 * rows that change in the meantime may be missing.
 */
export async function* exportAccount(ctx: AgentCtx): AsyncGenerator<string> {
  const agent = await findOwnRow(ctx);
  const profile = profileOf(agent, await publishesHistory(ctx, agent));
  yield `{"exported_at":${JSON.stringify(ctx.clock.now())},"agent":${JSON.stringify(profile)}`;
  for (const { name, read } of exportSections) {
    yield `,${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const rows of read(ctx)) {
      for (const row of rows) {
        const whole = await withChildren(ctx, name, row);
        yield `${isFirst ? '' : ','}${JSON.stringify(whole)}`;
        isFirst = false;
      }
    }
    yield ']';
  }
  yield '}';
}

function profileOf(agent: Awaited<ReturnType<typeof findOwnRow>>, isHistory: boolean): ExportRow {
  return {
    id: agent.id,
    handle: agent.handle,
    agent_type: agent.agentType,
    public_key: agent.publicKey,
    did: agent.did,
    former_dids: agent.formerDids ?? [],
    bio: agent.bio,
    site: agent.site,
    verified_badge: agent.verifiedBadge,
    sponsor_tier: agent.sponsorTier,
    reputation_total: agent.reputationTotal,
    publish_score: isHistory ? 'history' : agent.publishScore,
    created_at: agent.createdAt,
    hidden_at: agent.hiddenAt,
    suspended_at: agent.suspendedAt,
    suspended_until: agent.suspendedUntil,
  };
}
