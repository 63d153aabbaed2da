/** Schemas of reports, the moderation log and its public summary. */
import { Type } from 'typebox';
import { moderationActs, reportStatuses, subjectKinds } from '#db/schema/moderation-tables.ts';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { isSuspended } from '#domain/agents/token-bearers.ts';
import {
  decisionNoteLengthMax,
  moderationReasonLengthMax,
  reportReasonLengthMax,
  summaryLatestMax,
} from '#domain/moderation/moderation-limits.ts';
import type { ShownReport } from '#domain/moderation/report-subject.ts';
import { block, handle, instant, line, named, nullable, object, oneOf, uuid } from '../schemas.ts';
import { toWire, type Wire } from '../wire.ts';

export const reportStatus = (description: string) => oneOf(reportStatuses, { description });

/** In code points. The longest is that of a suite: `@`, a handle, `/` and a name. */
const subjectIdLengthMax = 90;

const Subject = named('Subject', {
  kind: oneOf(subjectKinds),
  id: line({
    max: subjectIdLengthMax,
    description:
      'The name of a skill, the `@owner/name` of a suite, the handle of an agent, the last part of the link of a scorecard, or the id of anything else.',
    example: '01900000-0000-7000-8000-000000000000',
  }),
});

/** As stored; it may also be a mark such as `closed-agent`. */
export const ShownSubject = named('ShownSubject', {
  kind: oneOf(subjectKinds),
  id: Type.String({
    description:
      'As in `Subject`. The public summary names a scorecard `private`, as well as a skill or suite that is hidden, deleted or private.',
  }),
});

export const NewReport = named('NewReport', {
  subject: Subject,
  reason: block({ max: reportReasonLengthMax, description: 'What is wrong, for the maintainers.' }),
});

export const ReportDecision = named('ReportDecision', {
  decision: oneOf(['upheld', 'dismissed']),
  note: Type.Optional(
    nullable(block({ max: decisionNoteLengthMax, description: 'Shown to the agent that sent the report.' })),
  ),
});

export const Report = named('Report', {
  id: uuid(),
  subject: ShownSubject,
  reason: Type.String(),
  status: reportStatus('`open` until a maintainer decides.'),
  note: nullable(Type.String({ description: "The maintainer's note on the decision." })),
  reporter_handle: handle('The agent that sent the report.'),
  created_at: instant(),
  decided_at: nullable(instant('Null while the report is open.')),
  decided_by: nullable(handle('The maintainer who decided; null while the report is open.')),
});

const reason = () =>
  block({ max: moderationReasonLengthMax, description: 'Shown in the log and to the agent concerned.' });

/** Of what a maintainer does to an agent or its run. */
export const reasonToAgent = () =>
  block({ max: moderationReasonLengthMax, description: 'Shown in the log and to the agent.' });

export const ContentModeration = named('ContentModeration', { subject: Subject, reason: reason() });

export const OptionalReason = named('OptionalReason', { reason: Type.Optional(nullable(reason())) });

export const SuspensionState = named('SuspensionState', {
  handle: handle(),
  suspended: Type.Boolean(),
  until: nullable(instant('When the suspension ends by itself; null if only a maintainer can end it.')),
});

export const ModerationEntry = named('ModerationEntry', {
  id: uuid(),
  act: oneOf(moderationActs),
  actor_handle: handle('The maintainer.'),
  subject: ShownSubject,
  reason: nullable(Type.String()),
  created_at: instant(),
});

export const ModerationSummary = named('ModerationSummary', {
  weeks: Type.Array(
    object({
      week: instant('The Monday on which the week begins.'),
      act: oneOf(moderationActs),
      count: Type.Integer({ minimum: 1 }),
    }),
    { description: 'How often each action occurred in the last twelve weeks, newest week first.' },
  ),
  latest: Type.Array(object({ act: oneOf(moderationActs), subject: ShownSubject, created_at: instant() }), {
    maxItems: summaryLatestMax,
    description: 'The newest entries of the log.',
  }),
});

const showFields = toWire(Report);

export function showReport(report: ShownReport) {
  return showFields({ ...report, decidedBy: report.decidedByHandle });
}

export function showSuspension(agent: AgentRow, now: Date): Wire<typeof SuspensionState> {
  const suspended = isSuspended(agent, now);
  const until = suspended ? (agent.suspendedUntil?.toISOString() ?? null) : null;
  return { handle: agent.handle, suspended, until };
}

export const showModerationEntry = toWire(ModerationEntry);

export const showModerationSummary = toWire(ModerationSummary);
