/** Graders of what came with the text: tool calls, time and cost. */
import { Type } from 'typebox';
import { ToolCall } from '../document.ts';
import type { Fault } from '../fault.ts';
import { maxTools } from '../limits.ts';
import { prepareSchema } from '../json-schema/prepare-schema.ts';
import { faultOfSchema } from './json.ts';
import type { JsonValue } from './read-json.ts';
import { inNfc, isNumber, isSameValue, writeExactJson } from '../exact-json.ts';
import { quoteText } from '../text-forms.ts';
import { grader, type GraderPlace, unclear, verdict } from './grader.ts';

/** More calls than any case has. */
const maxCalls = 128;

/**
 * Passes if the reply calls these tools with at least these arguments (`exact: true`: no others); `order: any` and
 * `extra: allow` relax it; an empty list means no call.
 */
export const toolCalls = grader({
  name: 'tool_calls',
  readsText: false,
  fields: {
    tool_calls: Type.Array(ToolCall, { maxItems: 32 }),
    exact: Type.Optional(Type.Boolean()),
    order: Type.Optional(Type.Enum(['same', 'any'])),
    extra: Type.Optional(Type.Enum(['refuse', 'allow'])),
  },
  check: (spec, at) =>
    warnOfTools(
      spec.tool_calls.map(({ name }) => name),
      at,
    ),
  prepare(spec, _inner, prepareWork) {
    const wanted = spec.tool_calls.map((call) => ({ ...call, arguments: inNfc(call.arguments ?? {}) }));
    const wantedCharacters = JSON.stringify(wanted).length;
    prepareWork.spend(wantedCharacters);
    const expected = wanted.length === 0 ? 'no tool call' : wanted.map(describeCall).join(', ');
    return ({ tool_calls: calls }, { work }) => {
      const found = calls.length === 0 ? 'no tool call' : calls.slice(0, 10).map(describeCall).join(', ');
      if (calls.length > maxCalls) return unclear(expected, `${calls.length} tool calls`);
      if (spec.extra !== 'allow' && calls.length !== wanted.length) return verdict(false, expected, found);
      // Each is compared with each, once.
      work.spend(wantedCharacters * calls.length + JSON.stringify(calls).length * wanted.length);
      const known = wanted.map((one) => calls.map((call) => isCall(call, one, spec.exact === true)));
      const fits = (at: number, call: number) => known[at]?.[call] === true;
      const passed =
        spec.order === 'any'
          ? canMatch(wanted.length, calls.length, fits)
          : inOrder(wanted.length, calls.length, fits);
      return verdict(passed, expected, found);
    };
  },
});

type Call = { readonly name: string; readonly arguments?: unknown };

function describeCall(call: Call): string {
  return `${call.name}(${quoteText(writeExactJson(call.arguments ?? {})).slice(1, -1)})`;
}

function isCall(found: Call, wanted: Call, exact: boolean): boolean {
  if (found.name !== wanted.name) return false;
  const given = inNfc(found.arguments ?? {});
  return exact ? isSameValue(given, wanted.arguments) : isSubset(wanted.arguments, given);
}

/** Whether `found` has all fields of `wanted`. Lists must be the same length. */
function isSubset(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((item, at) => isSubset(item, found[at]))
    );
  }
  if (typeof wanted !== 'object' || wanted === null || isNumber(wanted)) return isSameValue(wanted, found);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(found, key) && isSubset(value, Reflect.get(found, key)),
  );
}

type Fits = (wanted: number, call: number) => boolean;

function inOrder(wanted: number, calls: number, fits: Fits): boolean {
  let at = 0;
  for (let call = 0; call < calls && at < wanted; call += 1) if (fits(at, call)) at += 1;
  return at === wanted;
}

/** Whether every wanted call has a call of its own (augmenting paths): a general one must not take a special one's. */
function canMatch(wanted: number, calls: number, fits: Fits): boolean {
  const taken = new Map<number, number>();
  const place = (at: number, seen: Set<number>): boolean => {
    for (let call = 0; call < calls; call += 1) {
      if (seen.has(call) || !fits(at, call)) continue;
      seen.add(call);
      const holder = taken.get(call);
      if (holder === undefined || place(holder, seen)) {
        taken.set(call, at);
        return true;
      }
    }
    return false;
  };
  return Array.from({ length: wanted }, (_, at) => place(at, new Set())).every(Boolean);
}

const ToolName = Type.String({ minLength: 1, maxLength: 64 });

/**
 * Passes if the case has at least `at_least` and at most `at_most` calls, none of the tools in `never`, and only those of
 * the tools in `arguments`, with arguments that match the schema of their tool.
 */
export const calls = grader({
  name: 'calls',
  readsText: false,
  fields: {
    calls: Type.Object(
      {
        at_least: Type.Optional(Type.Integer({ minimum: 1, maximum: maxCalls })),
        at_most: Type.Optional(Type.Integer({ minimum: 0, maximum: maxCalls })),
        never: Type.Optional(Type.Array(ToolName, { minItems: 1, maxItems: 32 })),
        arguments: Type.Optional(
          Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
            minProperties: 1,
            maxProperties: maxTools,
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  check({ calls: rule }, at) {
    if (Object.keys(rule).length === 0)
      return at.fault('`calls` needs a rule, such as `calls: { at_most: 3 }`.', 'calls');
    const { at_least: least = 0, at_most: most = maxCalls, never = [], arguments: schemas = {} } = rule;
    if (least > most) return at.fault('`at_least` must not be more than `at_most`.', 'calls');
    const faults = Object.entries(schemas).flatMap(([name, schema]) => {
      const where = ['calls', 'arguments', name];
      const problem = faultOfSchema(schema, at.work, (message) =>
        at.warn([...at.path, ...where], `\`${name}\` ${message}.`),
      );
      return problem === null ? [] : at.fault(`\`${name}\` ${problem}.`, ...where);
    });
    return [...faults, ...warnOfTools([...never, ...Object.keys(schemas)], at)];
  },
  prepare(
    { calls: { at_least: least = 0, at_most: most = Infinity, never = [], arguments: schemas } },
    _inner,
    work,
  ) {
    const validate =
      schemas === undefined
        ? null
        : new Map(Object.entries(schemas).map(([name, schema]) => [name, prepareSchema(schema, work)]));
    const expected = [
      ...(least === 0 ? [] : [`at least ${least} tool calls`]),
      ...(most === Infinity ? [] : [`at most ${most} tool calls`]),
      ...(never.length === 0 ? [] : [`no call of ${never.join(', ')}`]),
      ...(validate === null ? [] : [`only calls of ${[...validate.keys()].join(', ')} with valid arguments`]),
    ].join(', ');
    return ({ tool_calls: made }, { work: spent }) => {
      const isWithin =
        made.length >= least && made.length <= most && !made.some(({ name }) => never.includes(name));
      const found = `${made.length} tool calls${namesOf(made)}`;
      if (!isWithin || validate === null) return verdict(isWithin, expected, found);
      if (made.length > maxCalls) return unclear(expected, found);
      for (const { name, arguments: given } of made) {
        const check = validate.get(name);
        // The schema of arguments is of what JSON has.
        const failure =
          check === undefined ? 'there is no such tool' : check(inNfc(given ?? {}) as JsonValue, spent);
        if (failure !== null) return verdict(false, expected, `${quoteText(name).slice(1, -1)}: ${failure}`);
      }
      return verdict(true, expected, found);
    };
  },
});

/** Passes if all of these tools are called, each for the first time after the one before it. */
export const order = grader({
  name: 'order',
  readsText: false,
  fields: { order: Type.Array(ToolName, { minItems: 2, maxItems: 32, uniqueItems: true }) },
  check: (spec, at) => warnOfTools(spec.order, at),
  prepare: (spec) => {
    const expected = `first calls in the order ${spec.order.join(', ')}`;
    return ({ tool_calls: made }) => {
      const firsts = spec.order.map((wanted) => made.findIndex(({ name }) => name === wanted));
      const passed = firsts.every((at, place) => at > (firsts[place - 1] ?? -1));
      return verdict(passed, expected, made.length === 0 ? 'no tool call' : namesOf(made).slice(2));
    };
  },
});

/** A misspelt name in `never` would pass every reply. */
function warnOfTools(names: readonly string[], { tools, warn, path }: GraderPlace): readonly Fault[] {
  const unknown = tools.length === 0 ? [] : names.filter((name) => !tools.includes(name));
  for (const name of unknown) warn(path, `The case offers no tool ${JSON.stringify(name)}.`);
  return [];
}

const shownCalls = 20;

function namesOf(made: readonly Call[]): string {
  if (made.length === 0) return '';
  const shown = made.slice(0, shownCalls).map(({ name }) => quoteText(name).slice(1, -1));
  return `: ${shown.join(', ')}${made.length > shownCalls ? ' …' : ''}`;
}

/** Passes if the reply arrived within this many seconds. */
export const latency = grader({
  name: 'latency_s',
  readsText: false,
  fields: { latency_s: Type.Number({ exclusiveMinimum: 0, maximum: 600 }) },
  prepare:
    (spec) =>
    ({ latencyMs }) =>
      verdict(
        latencyMs === null || latencyMs <= spec.latency_s * 1_000,
        `at most ${spec.latency_s} s`,
        latencyMs === null ? 'no measurement' : `${(latencyMs / 1_000).toFixed(1)} s`,
      ),
});

/** Passes if the reply cost at most this many US dollars. Without a cost in `usage`, there is no verdict. */
export const cost = grader({
  name: 'cost_usd',
  readsText: false,
  fields: { cost_usd: Type.Number({ minimum: 0, maximum: 1_000 }) },
  prepare:
    (spec) =>
    ({ costUsd }) =>
      costUsd === null
        ? { ungraded: 'The agent reports no cost in `usage`.', expected: `at most $${spec.cost_usd}` }
        : verdict(
            costUsd === undefined || costUsd <= spec.cost_usd,
            `at most $${spec.cost_usd}`,
            costUsd === undefined ? 'no measurement' : `$${costUsd}`,
          ),
});
