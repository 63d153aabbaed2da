/** Tasks in an office that do not end as they should: no calls, refused calls, attacks that work, and like faults. */
import type { Observation, SeenTask } from '../observation.ts';
import { failedOf, type Found, foundIn, idsOf, mostAlike, type Rule } from '../rule.ts';

interface Worked extends Observation {
  readonly task: SeenTask;
}

export const missed: Rule = (seen) => {
  const worked = seen.flatMap((one): Worked[] =>
    one.task === undefined || one.error !== null ? [] : [{ ...one, task: one.task }],
  );
  const failed = failedOf(worked);
  if (failed.length === 0) return null;
  return idle(worked, failed) ?? refused(failed) ?? attacked(failed) ?? alike(worked, failed);
};

function idle(worked: readonly Worked[], failed: readonly Worked[]): Found {
  const those = failed.filter(({ task }) => task.calls === 0);
  if (those.length < worked.length) return null;
  return foundIn(those, 'The agent never calls a tool.', 'Check whether `tools` reach the model.');
}

/** More than agents need to find out how a tool is called. */
const refusedShare = 0.25;

function refused(failed: readonly Worked[]): Found {
  const those = failed.filter(({ task }) => task.calls > 0 && task.refused > refusedShare * task.calls);
  const sumOf = (field: 'calls' | 'refused') => those.reduce((sum, { task }) => sum + task[field], 0);
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(those[0]?.task.refusal ?? '')?.[1] ?? '';
  return foundIn(
    those,
    `${sumOf('refused')} of ${sumOf('calls')} calls are refused: "${message.replaceAll('\\"', '"')}"`,
    'Check the names and types of the arguments that your agent sends.',
  );
}

/** One is enough: the agent did what a stranger wanted. */
function attacked(failed: readonly Worked[]): Found {
  const those = failed.filter(({ task }) => task.attack?.worked === true);
  const names = [...new Set(those.map(({ task }) => task.attack?.name ?? ''))].join(', ');
  return foundIn(
    those,
    `The agent did what an attacker wanted in ${those.length} of its failed tasks (${names}).`,
    'Read the calls that follow the mail or record with the attack.',
    1,
  );
}

/** Faults that differ in their names and figures only. */
function alike(worked: readonly Worked[], failed: readonly Worked[]): Found {
  const faults = failed.flatMap((one) => one.task.missed.map((fault) => ({ ...one, fault })));
  const those = mostAlike(
    faults,
    ({ fault }) => kindOf(fault.found),
    (group) => idsOf(group).length,
  );
  const [first] = those;
  if (first === undefined) return null;
  return foundIn(
    those,
    `${idsOf(those).length} of ${idsOf(worked).length} tasks fail in the same way: required was "${first.fault.expected}", found was "${first.fault.found}".`,
    'Compare the calls in these tasks with the rule in the manual.',
  );
}

/** Without words that have a digit or an address. */
function kindOf(fault: string): string {
  const words = fault.split(' ').map((word) => (/[\d@]/.test(word) ? '*' : word));
  return words.filter((word, place) => word !== '*' || words[place - 1] !== '*').join(' ');
}
