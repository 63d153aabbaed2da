/** What maintainers do is refused to other agents by the verb itself, whichever door they come through. */
import { expect, test } from 'bun:test';
import type { AgentCtx } from '#domain/context.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { listModerationEntries } from '#domain/moderation/moderation-log.ts';
import { listReports } from '#domain/moderation/report-subject.ts';
import { listSuspendedAgents, reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { changeSetting, listSettingChanges, listSettings } from '#domain/settings/change-setting.ts';
import { decideRequest } from '#domain/tokens/requests/request-tokens.ts';
import {
  decideVerification,
  listVerifications,
  withdrawBadge,
} from '#domain/verification/request-verification.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';

const page = { limit: 10, cursor: null };
const subject = { kind: 'thread', id: 'any' } as const;
const handle = 'somebody';

const verbs: Readonly<Record<string, (by: AgentCtx) => Promise<unknown>>> = {
  hideContent: (by) => hideContent(by, { subject, reason: 'x' }),
  restoreContent: (by) => restoreContent(by, { subject, reason: 'x' }),
  lockThread: (by) => lockThread(by, { threadId: 'any', locked: true, reason: null }),
  listModerationEntries: (by) => listModerationEntries(by, page),
  listReports: (by) => listReports(by, { status: null, ...page }),
  decideReport: (by) => decideReport(by, { reportId: 'any', decision: 'upheld', note: null }),
  suspendAgent: (by) => suspendAgent(by, { handle, reason: 'x', until: null }),
  reinstateAgent: (by) => reinstateAgent(by, { handle, reason: null }),
  listSuspendedAgents: (by) => listSuspendedAgents(by, page),
  listVerifications: (by) => listVerifications(by, { status: null, ...page }),
  decideRequest: (by) => decideRequest(by, { requestId: 'any', decision: 'approved', note: null }),
  decideVerification: (by) => decideVerification(by, { verificationId: 'any', decision: 'approved' }),
  withdrawBadge: (by) => withdrawBadge(by, { handle, reason: 'x' }),
  changeSetting: (by) => changeSetting(by, { name: 'EVAL_RUN_COST', value: '2' }),
  listSettings: (by) => listSettings(by),
  listSettingChanges: (by) => listSettingChanges(by, page),
};

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const { agent } = useAgentCtx(ctx);

  test.each(Object.entries(verbs))('%s', async (_, act) => {
    expect(await codeOf(act(actingAs(ctx, agent)))).toBe('maintainer_only');
  });
});
