/** How an agent uses tools: calls that are refused alike, errors, pages, repeats, and how it ends. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule, type SeenCall } from '../observation.ts';
import { short } from './same-reply.ts';

type Found = ReturnType<Rule>;
interface Used extends Observation {
  readonly calls: readonly SeenCall[];
}

const loop = "Check the loop that runs the model's calls and returns their results to it.";

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
    calledTwice(failed) ??
    endsAlike(failed) ??
    resultAsReply(failed) ??
    notTriedAgain(failed) ??
    endless(failed) ??
    pageUnread(failed) ??
    lastPageOnly(failed) ??
    resultCut(failed) ??
    notWritten(failed) ??
    repeated(failed) ??
    notChecked(failed) ??
    noReport(failed) ??
    mixedResults(failed) ??
    itemsLost(failed)
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
      /(?:find_orders|get_order|set_status)\W{0,20}[({<]|["'{<=:] *(?:find_orders|get_order|set_status)|<tool_call|<function/.test(
        reply ?? '',
      ),
  );
  return found(
    those,
    `Tool calls come back as text: "${short(those[0]?.reply ?? '')}".`,
    "Return tool calls in the protocol's own field, as the model server reports them.",
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
  const reasons = Map.groupBy(refused, ({ call }) => reasonOf(call));
  const [most] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return null;
  const [, those] = most;
  const cases = those.map(({ one }) => one).filter((one) => failed.includes(one));
  const all = refused.length === calls.length ? 'All calls' : `${refused.length} of ${calls.length} calls`;
  return found(
    cases,
    `${all} are refused: ${messageOf(those[0]?.call.result ?? '')}`,
    'Check the names and types of the arguments that your agent sends.',
  );
}

/** Refusals that differ in their values only. */
function reasonOf({ result, arguments: given }: SeenCall): string {
  const values = Object.values(typeof given === 'object' && given !== null ? given : {}).map(String);
  const message = messageOf(result).replaceAll(/; it is .*|\d+/g, '');
  return values.reduce((text, value) => (value === '' ? text : text.replaceAll(value, '')), message);
}

function messageOf(result: string): string {
  return /"error":"((?:[^"\\]|\\.)*)"/.exec(result)?.[1]?.replaceAll('\\"', '"') ?? result;
}

/** Each call of a step has a twin in it. */
function calledTwice(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls }) => {
    const equal = Map.groupBy(calls, ({ step, name, arguments: given }) =>
      JSON.stringify([step, name, given]),
    );
    return calls.length > 0 && [...equal.values()].every((group) => group.length > 1);
  });
  return found(
    those,
    'Every call is made twice.',
    'Look for a retry, or a handler that is registered twice.',
  );
}

const fewestAlike = 3;

/** Tasks about different things end with one reply. */
function endsAlike(failed: readonly Used[]): Found {
  const ended = failed.filter(({ calls }) => calls.length > 0 && calls.length < endlessCalls);
  const [most] = [...Map.groupBy(ended, ({ reply }) => (reply ?? '').trim())].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (most === undefined) return null;
  const [text, those] = most;
  if (idsOf(those).length < fewestAlike || new Set(those.map(({ topic }) => topic)).size < 2) return null;
  const steps = new Set(those.map(({ calls }) => (calls.at(-1)?.step ?? 0) + 1));
  const [count = 1] = steps;
  if (text === '' && steps.size > 1) return null;
  if (text === '' || (steps.size === 1 && count > 1)) {
    const end = text === '' ? ', without a text' : `: "${short(text)}"`;
    const sentence = `The agent stops after ${count === 1 ? 'its first calls' : `${count} steps`}${end}.`;
    return found(those, sentence, 'Look for a limit on steps or time.');
  }
  return found(
    those,
    `Once it has called a tool, the agent gives the same reply to everything: "${short(text)}".`,
    "Check whether the user's message still reaches the model together with the results.",
  );
}

function resultAsReply(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls, reply }) => {
    const result = calls.at(-1)?.result;
    return result !== undefined && (reply ?? '').includes(result);
  });
  return found(
    those,
    'The raw result of the last call comes back instead of a reply.',
    'Pass the results to the model, and return its next reply.',
  );
}

function notTriedAgain(failed: readonly Used[]): Found {
  const those = failed.filter(
    ({ calls }) => calls.at(-1)?.outcome === 'failed' && calls.at(-1)?.name !== 'set_status',
  );
  return found(those, 'A call that fails temporarily is not retried.');
}

const endlessCalls = 10;

function endless(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls, reply }) => calls.length >= endlessCalls && reply === '');
  const isOneCall = those.every(({ calls }) => {
    const last = calls.slice(-3).map((one) => JSON.stringify([one.name, one.arguments]));
    return new Set(last).size === 1;
  });
  return found(
    those,
    isOneCall ? 'The agent repeats one call endlessly.' : 'The agent calls tools endlessly.',
    'Check whether the results of calls reach the model.',
  );
}

function pageUnread(failed: readonly Used[]): Found {
  const those = failed.filter(({ calls }) => {
    const lists = calls.filter(({ name, outcome }) => name === 'find_orders' && outcome === 'done');
    return lists.length > 0 && lists.every(({ result }) => !result.includes('"next_page":null'));
  });
  return found(those, 'Not all pages of a list are read.', 'Check whether `next_page` reaches the model.');
}

/** The number of orders is that of the last page. */
function lastPageOnly(failed: readonly Used[]): Found {
  const those = failed.filter(({ topic, calls, reply }) => {
    const last = calls.findLast(({ name, outcome }) => name === 'find_orders' && outcome === 'done');
    const count = last?.result.match(/"id":/g)?.length ?? 0;
    return topic === 'pages' && count > 0 && new RegExp(`ANSWER:\\W*${count}\\b`).test(reply ?? '');
  });
  return found(
    those,
    'Only the result of the last call reaches the model: earlier results are lost.',
    'Return all results so far to the model, in the order of the calls.',
  );
}

/** All pages are read, and the count is wrong. */
function itemsLost(failed: readonly Used[]): Found {
  const those = failed.filter(({ topic, calls }) => topic === 'pages' && calls.length > 0);
  const sentence =
    'All pages of a list are read, but some of their items do not reach the model, or it miscounts.';
  const lost = found(those, sentence, 'Look for a limit on the items or the size of a result.');
  return lost === null ? null : { ...lost, certainty: 'likely' };
}

/** It does not even try to write. */
function notWritten(failed: readonly Used[]): Found {
  const those = failed.filter(
    ({ topic, calls }) =>
      topic === 'ship' && calls.length > 0 && !calls.some(({ name }) => name === 'set_status'),
  );
  return found(
    those,
    `A write that the task asks for is never made: the agent says "${short(those[0]?.reply ?? '')}".`,
    'Look for a confirmation that nobody gives, or a tool list without this tool.',
  );
}

function resultCut(failed: readonly Used[]): Found {
  const those = failed.filter(({ sent, reply, calls }) => {
    const mark = sent.marks?.[0]?.word;
    return (
      mark !== undefined &&
      (reply ?? '').trim() !== '' &&
      calls.some(({ result }) => result.includes(mark)) &&
      !(reply ?? '').includes(mark)
    );
  });
  return found(
    those,
    'Long tool results are cut: their ends do not reach the model.',
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
