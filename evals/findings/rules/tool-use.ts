/** How an agent uses tools: calls that are refused alike, errors, pages, repeats, and how it ends. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule, type SeenCall } from '../observation.ts';
import { short } from './same-reply.ts';

type Found = ReturnType<Rule>;
interface Used extends Observation {
  readonly calls: readonly SeenCall[];
}

const loop = "Look at the loop that makes the model's calls and returns their results to it.";

export const toolUse: Rule = (seen) => {
  const used = seen.flatMap((one): Used[] =>
    one.calls === undefined || one.reply === null ? [] : [{ ...one, calls: one.calls }],
  );
  const failed = failedOf(used) as readonly Used[];
  if (failed.length === 0) return null;
  return (
    inProse(failed) ??
    noCalls(used, failed) ??
    refusedAlike(used, failed) ??
    notTriedAgain(failed) ??
    endless(failed) ??
    pageUnread(failed) ??
    resultCut(failed) ??
    repeated(failed) ??
    notChecked(failed) ??
    noReport(failed) ??
    mixedResults(failed)
  );
};

function found(those: readonly Used[], sentence: string, look_at = loop): Found {
  if (idsOf(those).length < fewestCases) return null;
  return { sentence, look_at, cases: idsOf(those), certainty: 'certain' };
}

/** A call that is written into the text. */
function inProse(failed: readonly Used[]): Found {
  const those = failed.filter(
    ({ calls, reply }) =>
      calls.length === 0 &&
      /(?:find_orders|get_order|set_status)\s*\(|"(?:name|tool|function)"\s*:|<tool_call|<function/.test(
        reply ?? '',
      ),
  );
  return found(
    those,
    `Tool calls come as text: "${short(those[0]?.reply ?? '')}".`,
    'Use the tool calls of the protocol, and read them from the reply of the model server.',
  );
}

function noCalls(used: readonly Used[], failed: readonly Used[]): Found {
  const those = failed.filter(({ calls }) => calls.length === 0);
  return those.length < used.length
    ? null
    : found(those, 'The agent never calls a tool.', 'Check whether `tools` reach the model.');
}

/** Most calls are refused for one reason. */
function refusedAlike(used: readonly Used[], failed: readonly Used[]): Found {
  const calls = used.flatMap((one) => one.calls.map((call) => ({ one, call })));
  const refused = calls.filter(({ call }) => call.outcome === 'refused');
  const reasons = Map.groupBy(refused, ({ call }) => reasonOf(call.result));
  const [most] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return null;
  const [, those] = most;
  const cases = those.map(({ one }) => one).filter((one) => failed.includes(one));
  const all = refused.length === calls.length ? 'All calls' : `${refused.length} of ${calls.length} calls`;
  return found(
    cases,
    `${all} are refused: ${messageOf(those[0]?.call.result ?? '')}`,
    'Look at how arguments are typed and passed on.',
  );
}

/** Refusals that differ in their values only. */
function reasonOf(result: string): string {
  return messageOf(result).replaceAll(/; it is .*|\d+/g, '');
}

function messageOf(result: string): string {
  return /"error":"((?:[^"\\]|\\.)*)"/.exec(result)?.[1]?.replaceAll('\\"', '"') ?? result;
}

function notTriedAgain(failed: readonly Used[]): Found {
  const those = failed.filter(
    ({ calls }) => calls.at(-1)?.outcome === 'failed' && calls.at(-1)?.name !== 'set_status',
  );
  return found(those, 'A call that fails temporarily is not tried again.');
}

const endlessCalls = 10;

function endless(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls, reply }) => calls.length >= endlessCalls && reply === '');
  return found(
    those,
    'The agent calls tools without end.',
    'Check whether the results of calls reach the model.',
  );
}

function pageUnread(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls }) => {
    const lists = calls.filter(({ name, outcome }) => name === 'find_orders' && outcome === 'done');
    return lists.length > 0 && lists.every(({ result }) => !result.includes('"next_page":null'));
  });
  return found(
    those,
    'Further pages of a list are not read.',
    'Check whether `next_page` reaches the model.',
  );
}

function resultCut(failed: readonly Used[]): Found {
  const those = failed.filter(({ sent, reply, calls }) => {
    const mark = sent.marks?.[0]?.word;
    return (
      mark !== undefined && calls.some(({ result }) => result.includes(mark)) && !(reply ?? '').includes(mark)
    );
  });
  return found(
    those,
    'The ends of long results do not reach the model.',
    'Look for a character limit on tool results.',
  );
}

function writes(calls: readonly SeenCall[]): readonly SeenCall[] {
  return calls.filter(({ name, outcome }) => name === 'set_status' && outcome !== 'refused');
}

/** A write that is done again, or one whose response is lost and that is not checked. */
function repeated(failed: readonly Used[]): Found {
  const again = failed.filter(({ calls }) => writes(calls).length > 1);
  const afterAnswer = again.filter(
    ({ calls }) => writes(calls).filter(({ outcome }) => outcome === 'done').length > 1,
  );
  if (idsOf(afterAnswer).length >= fewestCases)
    return found(afterAnswer, 'Writes are repeated after they have succeeded.');
  return found(again, 'A write whose response is lost is repeated without checking whether it was done.');
}

function notChecked(failed: readonly Used[]): Found {
  const those = failed.filter(
    ({ calls }) => calls.at(-1)?.name === 'set_status' && calls.at(-1)?.outcome === 'failed',
  );
  return found(those, 'A write whose response is lost is not checked.');
}

function noReport(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls, reply }) => calls.length > 0 && (reply ?? '').trim() === '');
  return found(
    those,
    'The agent ends without a text after its calls.',
    'Check whether the model is asked once more after the last result.',
  );
}

/** Some of the calls that an agent makes at once are not run, or their results get lost. */
function mixedResults(failed: readonly Used[]): Found {
  const those = failed.filter(({ sent, calls }) => sent.together === true && calls.length > 0);
  return found(
    those,
    'Of several calls in one reply, only some are run, or their results are lost or mixed up.',
    'Run every call of a reply, and return each result with the id of its call.',
  );
}
