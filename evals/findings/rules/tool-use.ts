/** How an agent uses tools: calls that are refused alike, errors, pages, repeats, and how it ends. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import type { Observation, SeenCall } from '../observation.ts';
import { failedOf, type Found, foundIn, idsOf, likely, mostAlike, type Rule, short } from '../rule.ts';

interface Used extends Observation {
  readonly calls: readonly SeenCall[];
  readonly text: string;
}

/** @param used all cases with tools, of which `failed` did not pass */
type Check = (failed: readonly Used[], used: readonly Used[]) => Found;

export const toolUse: Rule = (seen) => {
  const used = seen.flatMap((one): Used[] =>
    one.calls === undefined || one.reply === null
      ? []
      : [{ ...one, calls: one.calls, text: one.reply.trim() }],
  );
  const failed = failedOf(used);
  for (const check of failed.length === 0 ? [] : checks) {
    const finding = check(failed, used);
    if (finding !== null) return finding;
  }
  return null;
};

const loop = "Check the loop that runs the model's calls and returns their results to it.";

/** What failed cases show each by itself. The sentence may quote the first of them. */
function each(
  shows: (one: Used) => boolean,
  sentence: string | ((first: string) => string),
  lookAt = loop,
): Check {
  return (failed) => {
    const those = failed.filter(shows);
    const said = typeof sentence === 'string' ? sentence : sentence(short(those[0]?.reply ?? ''));
    return foundIn(those, said, lookAt);
  };
}

const noCalls: Check = (failed, used) => {
  const those = failed.filter(({ calls }) => calls.length === 0);
  return those.length < used.length
    ? null
    : foundIn(those, 'The agent never calls a tool.', 'Check whether `tools` reach the model.');
};

/** Most calls are refused for one reason. */
const refusedAlike: Check = (failed, used) => {
  const calls = used.flatMap((one) => one.calls.map((call) => ({ one, call })));
  const refused = calls.filter(({ call }) => call.outcome === 'refused');
  const those = mostAlike(refused, ({ call }) => reasonOf(call));
  const cases = those.map(({ one }) => one).filter((one) => failed.includes(one));
  const all = refused.length === calls.length ? 'All calls' : `${refused.length} of ${calls.length} calls`;
  return foundIn(
    cases,
    `${all} are refused: "${messageOf(those[0]?.call.result ?? '')}"`,
    'Check the names and types of the arguments that your agent sends.',
  );
};

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
function isDoubled({ calls }: Used): boolean {
  const equal = Map.groupBy(calls, ({ step, name, arguments: given }) => JSON.stringify([step, name, given]));
  return calls.length > 0 && [...equal.values()].every((group) => group.length > 1);
}

const fewestAlike = 3;
const endlessCalls = 10;

/** Tasks about different things end with one reply. */
const endsAlike: Check = (failed) => {
  const ended = failed.filter(({ calls }) => calls.length > 0 && calls.length < endlessCalls);
  const those = mostAlike(ended, ({ text }) => text);
  const { text = '' } = those[0] ?? {};
  if (idsOf(those).length < fewestAlike || new Set(those.map(({ topic }) => topic)).size < 2) return null;
  const steps = new Set(those.map(({ calls }) => (calls.at(-1)?.step ?? 0) + 1));
  const [count = 1] = steps;
  if (text === '' && steps.size > 1) return null;
  if (text === '' || (steps.size === 1 && count > 1)) {
    const end = text === '' ? ', without a text' : `: "${short(text)}"`;
    const sentence = `The agent stops after ${count === 1 ? 'its first calls' : `${count} steps`}${end}.`;
    return foundIn(those, sentence, 'Look for a limit on steps or time.');
  }
  return foundIn(
    those,
    `Once it has called a tool, the agent gives the same reply to everything: "${short(text)}".`,
    "Check whether the user's message still reaches the model together with the results.",
  );
};

const endless: Check = (failed) => {
  const those = failed.filter(({ calls, reply }) => calls.length >= endlessCalls && reply === '');
  const isOneCall = those.every(({ calls }) => {
    const last = calls.slice(-3).map((one) => JSON.stringify([one.name, one.arguments]));
    return new Set(last).size === 1;
  });
  return foundIn(
    those,
    isOneCall ? 'The agent repeats one call endlessly.' : 'The agent calls tools endlessly.',
    'Check whether the results of calls reach the model.',
  );
};

function lists({ calls }: Used): readonly SeenCall[] {
  return calls.filter(({ name, outcome }) => name === 'find_orders' && outcome === 'done');
}

/** The number of orders is that of the last page. */
function countsLastPage(one: Used): boolean {
  const count = lists(one).at(-1)?.result.match(/"id":/g)?.length ?? 0;
  return one.topic === 'pages' && count > 0 && new RegExp(`ANSWER:\\W*${count}\\b`).test(one.reply ?? '');
}

/** A mark at the end of a long result is not in the reply. */
function losesEnd({ sent, text, calls }: Used): boolean {
  const mark = sent.marks?.[0]?.word;
  if (mark === undefined || text === '' || text.includes(mark) || isRefusal(text)) return false;
  return calls.some(({ result }) => result.includes(mark));
}

function writes({ calls }: Used): readonly SeenCall[] {
  return calls.filter(({ name, outcome }) => name === 'set_status' && outcome !== 'refused');
}

/** A write that is done again, or one whose response is lost and that is not checked. */
const repeated: Check = (failed) => {
  const again = failed.filter((one) => writes(one).length > 1);
  const done = again.filter((one) => writes(one).filter(({ outcome }) => outcome === 'done').length > 1);
  return (
    foundIn(done, 'Writes are repeated after they have succeeded.', loop) ??
    foundIn(again, 'A write whose response is lost is repeated without checking whether it was done.', loop)
  );
};

/** Some of the calls that an agent makes at once are not run, or their results get lost. */
const togetherLost: Check = (failed) => {
  const those = failed.filter(
    ({ sent, calls }) => sent.together === true && calls.length > 0 && !isInARow(calls),
  );
  return foundIn(
    those,
    'Of several calls in one reply, only some are run, or their results are lost or mixed up.',
    'Run every call of a reply, and return each result with the id of its call.',
  );
};

/** Whether there are several calls, each in a step of its own. */
function isInARow(calls: readonly SeenCall[]): boolean {
  return calls.length > 1 && new Set(calls.map(({ step }) => step)).size === calls.length;
}

/** All pages are read, and the count is wrong. */
const itemsLost: Check = (failed, used) => {
  const lost = each(
    ({ topic, calls }) => topic === 'pages' && calls.length > 0,
    'All pages of a list are read, but some of their items do not reach the model, or it miscounts.',
    'Look for a limit on the items or the size of a result.',
  )(failed, used);
  return lost === null ? null : { ...lost, ...likely };
};

/** In the order in which faults hide each other. */
const checks: readonly Check[] = [
  each(
    ({ calls, reply }) =>
      calls.length === 0 &&
      /(?:find_orders|get_order|set_status)\W{0,20}[({<]|["'{<=:] *(?:find_orders|get_order|set_status)/.test(
        reply ?? '',
      ),
    (first) => `Tool calls come back as text: "${first}".`,
    "Return tool calls in the protocol's own field, as the model server reports them.",
  ),
  noCalls,
  refusedAlike,
  each(isDoubled, 'Every call is made twice.', 'Look for a retry, or a handler that is registered twice.'),
  endsAlike,
  each(
    ({ calls, reply }) => calls.length > 0 && (reply ?? '').includes(calls.at(-1)?.result ?? ''),
    'The raw result of the last call comes back instead of a reply.',
    'Pass the results to the model, and return its next reply.',
  ),
  each(
    ({ calls }) => calls.at(-1)?.outcome === 'failed' && calls.at(-1)?.name !== 'set_status',
    'A call that fails temporarily is not retried.',
  ),
  endless,
  each(
    (one) => lists(one).length > 0 && lists(one).every(({ result }) => !result.includes('"next_page":null')),
    'Not all pages of a list are read.',
    'Check whether `next_page` reaches the model.',
  ),
  each(
    countsLastPage,
    'Only the result of the last call reaches the model: earlier results are lost.',
    'Return all results so far to the model, in the order of the calls.',
  ),
  each(
    losesEnd,
    'Long tool results are cut: their ends do not reach the model.',
    'Look for a character limit on tool results.',
  ),
  // It does not even try to write.
  each(
    ({ topic, calls }) =>
      topic === 'ship' && calls.length > 0 && !calls.some(({ name }) => name === 'set_status'),
    (first) => `A write that the task asks for is never made: the agent says "${first}".`,
    'Look for a confirmation that nobody gives, or a tool list without this tool.',
  ),
  repeated,
  each(
    ({ calls }) => calls.at(-1)?.name === 'set_status' && calls.at(-1)?.outcome === 'failed',
    'A write whose response is lost is not checked.',
  ),
  each(
    ({ calls, text }) => calls.length > 0 && text === '',
    'The agent ends without a text after its calls.',
    'Check whether the model is asked once more after the last result.',
  ),
  togetherLost,
  itemsLost,
];
