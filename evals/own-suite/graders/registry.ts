/** All graders, and the only place that lists them. */
import { nearestName } from '#runtime/validation-messages.ts';
import type { GraderSpec, Reply } from '../document.ts';
import { type Fault, findShapeFaults, type Path } from '../fault.ts';
import { choice } from './choice.ts';
import { leaks } from './leaks.ts';
import { list } from './list.ts';
import { refuses } from './refuses.ts';
import { calls, cost, latency, order, toolCalls } from './calls.ts';
import { all, any, judge, not, turnedRound, webhook } from './combine.ts';
import {
  type Grade,
  type Grader,
  type GraderPlace,
  inverseBoundsOf,
  unclear,
  type Ungraded,
} from './grader.ts';
import { number } from './numbers.ts';
import { json } from './json.ts';
import { rows } from './rows.ts';
import { maxReplyWork } from '../limits.ts';
import { TooMuchWorkError, WorkBudget } from '../work-budget.ts';
import { contains, containsAll, containsAny } from './contains.ts';
import { equals, oneOf } from './equals.ts';
import { length } from './length.ts';
import { matches } from './matches.ts';
import { similar } from './similar.ts';
import { spokenReply } from './spoken.ts';

export const graders: readonly Grader[] = [
  equals,
  oneOf,
  contains,
  containsAll,
  containsAny,
  matches,
  number,
  choice,
  json,
  rows,
  list,
  length,
  similar,
  refuses,
  leaks,
  toolCalls,
  calls,
  order,
  latency,
  cost,
  all,
  any,
  not,
  webhook,
  judge,
];

/** Steps of checking a grader, of preparing it and of grading, beside those of its texts and the reply. */
const graderSteps = 1_000;

const byName = new Map(graders.map((each) => [each.name, each]));

/**
 * @returns the faults of a grader as written, at `path`, inside `depth` combinators
 * @throws TooMuchWorkError
 */
export function checkGrader(
  spec: unknown,
  path: Path,
  work = new WorkBudget(maxReplyWork),
  { depth = 0, ...around }: Partial<Pick<GraderPlace, 'depth' | 'ofTurn' | 'warn' | 'tools'>> = {},
): readonly Fault[] {
  work.spend(graderSteps);
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    return [{ path, message: 'A grader must be an object, such as `{ equals: "Refund" }`.' }];
  const found = namesIn(spec);
  const [name] = found;
  if (name === undefined) return [{ path, message: describeUnknown(Object.keys(spec)) }];
  if (found.length > 1) {
    const message = `A grader must be one of ${found.join(', ')}; write one entry of \`expect\` for each.`;
    return [{ path, message }];
  }
  const chosen = byName.get(name);
  if (chosen === undefined) throw new Error(`${name} is not in the list of graders.`);
  const faults = findShapeFaults(chosen.schema, spec, path, 'The grader');
  if (faults.length > 0) return faults;
  const turn: unknown = Reflect.get(spec, 'turn');
  if (turn !== undefined && (depth > 0 || name === 'webhook' || name === 'judge'))
    return [{ path: [...path, 'turn'], message: turnRule }];
  const ofTurn = turn !== undefined || around.ofTurn === true;
  if (ofTurn && (name === 'latency_s' || name === 'cost_usd'))
    return [{ path, message: `\`${name}\` applies to the whole case, so it has no \`turn\`.` }];
  if (depth > 0 && Object.hasOwn(spec, 'metric'))
    return [{ path, message: '`metric` must be on an entry of `expect`, not on a grader inside another.' }];
  // The spec is an object with exactly the fields of its grader.
  return chosen.check(spec as GraderSpec, {
    path,
    depth,
    ofTurn,
    work,
    warn: around.warn ?? (() => {}),
    tools: around.tools ?? [],
    fault: (message, ...keys) => [{ path: [...path, ...keys], message }],
    inner: (each, at, inside) => checkGrader(each, at, work, { ...around, ofTurn, depth: inside }),
  });
}

const turnRule =
  'Only an entry of `expect` has a `turn`, and judges read the last reply; use `expect` of the case.';

/** The grader names among the fields. `not: true` and `order: any` modify others; `not: {…}` and `order: […]` are graders. */
function namesIn(spec: object): readonly string[] {
  return Object.entries(spec).flatMap(([key, value]) => {
    const isModifier = key === 'not' ? value === true : key === 'order' && typeof value === 'string';
    return byName.has(key) && !isModifier ? key : [];
  });
}

function describeUnknown(given: readonly string[]): string {
  const known = graders.map(({ name }) => name);
  const meant = given.flatMap((name) => nearestName(name, known) ?? [])[0];
  const proposal = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
  return `A grader must have one of the fields ${known.join(', ')}.${proposal}`;
}

/** The same reply never gets a verdict from these graders, and so runs fail it. */
export const tooMuchWork = {
  ungraded: `Grading the reply takes more than ${maxReplyWork} steps. Use fewer or simpler graders, or ask for shorter replies.`,
  exhausted: 'work',
} as const satisfies Ungraded;

/** The name of a grader without faults, wherever it stands among the fields. */
export function graderName(spec: GraderSpec): string {
  return namesIn(spec)[0] ?? '';
}

/** Whether a grader without faults, or one inside it, needs what the agent said last. */
export function readsText(spec: GraderSpec): boolean {
  const name = graderName(spec);
  const inside = ['all', 'any', 'not'].includes(name) ? [spec[name]].flat() : [];
  // They have the form of graders.
  return inside.length > 0 ? (inside as GraderSpec[]).some(readsText) : byName.get(name)?.readsText !== false;
}

/**
 * Prepares a grader without faults.
 * @throws TooMuchWorkError
 */
export function prepareGrader(spec: GraderSpec, work = new WorkBudget(maxReplyWork)): Grade {
  work.spend(graderSteps);
  const name = graderName(spec);
  const chosen = byName.get(name);
  if (chosen === undefined) throw new Error('A grader was prepared that has not been checked.');
  const grade = chosen.prepare(spec, (each) => prepareGrader(each, work), work);
  const isTurned = spec['not'] === true;
  return async (given, context) => {
    try {
      const judge = async (reply: Reply) => {
        context.work.spend(graderSteps + chosen.stepsPerCharacter * reply.text.length);
        return await grade(reply, context);
      };
      const reply = chosen.seesReasoning || !chosen.readsText ? given : spokenReply(given, context.work);
      const spoken = reply === null ? unclear('a reply', 'reasoning that never ends') : await judge(reply);
      const judged =
        chosen.findsAnywhere && reply !== null && reply !== given
          ? { ...spoken, inverse: Math.min(...[spoken, await judge(given)].flatMap(inverseBoundsOf)) }
          : spoken;
      return isTurned ? turnedRound(judged) : judged;
    } catch (error) {
      if (error instanceof TooMuchWorkError) return tooMuchWork;
      throw error;
    }
  };
}
