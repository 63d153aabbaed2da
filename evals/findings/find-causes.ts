/** The findings of a report: what is wrong with an agent, the first cause first. */
import type { Observation } from './observation.ts';
import type { Finding } from '#evals/own-suite/shown-run.ts';
import type { Rule } from './rule.ts';
import { conduct } from './rules/conduct.ts';
import { addedText } from './rules/added-text.ts';
import { altered } from './rules/altered.ts';
import { changedFields } from './rules/changed-fields.ts';
import { cutReplies } from './rules/cut-replies.ts';
import { cut } from './rules/cut.ts';
import { missed } from './rules/missed.ts';
import { mixed } from './rules/mixed.ts';
import { noReply } from './rules/no-reply.ts';
import { rewritten } from './rules/rewritten.ts';
import { sameReply } from './rules/same-reply.ts';
import { toolUse } from './rules/tool-use.ts';
import { turns } from './rules/turns.ts';
import { unreadCalls } from './rules/unread-calls.ts';
import { undone } from './rules/undone.ts';
import { weakTopic } from './rules/weak-topic.ts';

/** In the order in which faults hide each other. Rules about replies alone do not see the cases with tools. */
const rules: Readonly<Record<string, Rule>> = {
  'no-reply': noReply,
  'same-reply': sameReply,
  mixed,
  rewritten,
  undone,
  'cut-replies': cutReplies,
  'added-text': addedText,
  altered,
  cut,
  turns,
  'changed-fields': changedFields,
  'unread-calls': unreadCalls,
  'tool-use': toolUse,
  missed,
  conduct,
  'weak-topic': weakTopic,
};

export const ruleNames: readonly string[] = Object.keys(rules);

/** These see all cases. */
const forTools: ReadonlySet<string> = new Set([
  'no-reply',
  'unread-calls',
  'tool-use',
  'missed',
  'weak-topic',
]);
const findingsMax = 5;

function isReplyAlone({ calls, task }: Observation): boolean {
  return calls === undefined && task === undefined;
}

/** At most five sentences. A failure that one of them explains is not there for the next. */
export function findCauses(seen: readonly Observation[]): readonly Finding[] {
  const found: Finding[] = [];
  let left = seen;
  for (const [name, rule] of Object.entries(rules)) {
    for (;;) {
      if (found.length === findingsMax) return found;
      const finding = rule(forTools.has(name) ? left : left.filter(isReplyAlone));
      if (finding === null) break;
      found.push({ rule: name, ...finding });
      const explained = new Set(finding.cases);
      left = left.filter(({ id, passed }) => passed || !explained.has(id));
    }
  }
  return found;
}
