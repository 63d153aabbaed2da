/**
 * The health check: about 70 short conversations in the order in which faults hide each other. Where prompts do not
 * arrive, nothing that needs them is blamed on the model.
 */
import { createRandom, type Random } from '../random.ts';
import { charactersOfTokens } from '../token-usage.ts';
import { copy, json, list, long, word } from './delivery/copies.ts';
import { lengthCase } from './delivery/length.ts';
import { atOnce, lines, turns } from './delivery/prompts.ts';
import { conduct } from './conduct/conduct.ts';
import { casesOf, finishCase, type HealthCase, type Part, type Topic } from './health-case.ts';
import { writeToolTasks } from './tools/tasks.ts';
import { extraction, farApart, form, rules } from './work/work.ts';

/** Asked one after the other. */
const first: readonly Topic[] = [word, copy];
const rest: readonly Topic[] = [lines, turns, json, list, long, conduct, rules, extraction, form, farApart];

const longRounds = 3;

/** `long` asks the cases about conduct and work three times, each time with other words. */
export const checkSizes = ['standard', 'long'] as const;
export type CheckSize = (typeof checkSizes)[number];

export interface HealthCheck {
  readonly seed: string;
  readonly maxPromptTokens: number;
  readonly size: CheckSize;
  /** Whether the agent is offered tools. */
  readonly tools: boolean;
  /**
   * Whether some cases wait for the one before, so that calls at once differ from calls in a row. An agent that fetches
   * its cases decides that by itself.
   */
  readonly inARow: boolean;
}

/** Whether a case has passed, by its place in the plan and its id; undefined while it has no result. */
export type HasPassed = (place: number, id: string) => boolean | undefined;

/**
 * The cases that can be asked now: those with a result and the next ones, always at the same places. Prompts of growing
 * length depend on the results before them, so each waits for the one before.
 *
 * @returns the same cases for the same check and results
 */
export function planHealthCheck(check: HealthCheck, hasPassed: HasPassed): readonly HealthCase[] {
  const random = (label: string) => createRandom(check.seed, `health/${label}`);
  const planned: HealthCase[] = [];
  let lastPassed = true as boolean | undefined;
  let isComplete = true;
  /** @returns whether all cases so far have results */
  const add = (cases: readonly HealthCase[], waits: boolean): boolean => {
    for (const one of cases) {
      if (waits && check.inARow && lastPassed === undefined) return false;
      lastPassed = hasPassed(planned.length, one.id);
      planned.push(one);
      if (lastPassed === undefined) isComplete = false;
    }
    return isComplete;
  };

  const written = (topic: Topic, label: string = topic.name) =>
    once(`${check.seed}/${label}`, () => casesOf(topic, random(label)));

  for (const topic of first) if (!add(written(topic), true)) return planned;
  const lengths: AskedLength[] = [];
  while (lengths.length < lengthCount(check.maxPromptTokens)) {
    const number = lengths.length + 1;
    const length = nextLength(check.maxPromptTokens, lengths);
    const label = `length-${number}`;
    const asked = once(`${check.seed}/${label}/${length}`, () => [lengthCase(random(label), length, number)]);
    if (!add(asked, true)) return planned;
    lengths.push({ length, passed: lastPassed === true });
  }
  const grouped = written(atOnce);
  const together = grouped.filter(({ sent }) => sent.atOnce);
  if (!add(together, false) && check.inARow) return planned;
  if (!add(grouped.slice(together.length), true) && check.inARow) return planned;
  for (const round of Array.from({ length: check.size === 'long' ? longRounds : 1 }).keys()) {
    for (const topic of round === 0 ? rest : rest.filter(({ part }) => part !== 'delivery')) {
      const label = round === 0 ? topic.name : `${topic.name}-${round + 1}`;
      add(written({ ...topic, prefix: label }, label), false);
    }
  }
  if (check.tools)
    add(
      once(`${check.seed}/tools`, () => toolCases(random('tools'))),
      false,
    );
  return planned;
}

const shortestTokens = 500;

interface AskedLength {
  readonly length: number;
  readonly passed: boolean;
}

/** Calls with growing prompts beyond one for each length: to repeat a failed one, and to find where prompts are cut. */
const furtherCalls = 3;

function lengthCount(maxPromptTokens: number): number {
  return doublings(maxPromptTokens).length + furtherCalls;
}

function doublings(maxPromptTokens: number): readonly number[] {
  const lengths: number[] = [];
  for (let tokens = shortestTokens; tokens < maxPromptTokens; tokens *= 2)
    lengths.push(charactersOfTokens(tokens));
  return [...lengths, charactersOfTokens(maxPromptTokens)];
}

/**
 * The length of the next prompt that grows, in characters. Lengths double until one fails twice. The remaining
 * calls go to the longest prompt, and to the length from which prompts are cut.
 *
 * @param asked all prompts before it, with the lengths that this function returned for them
 */
function nextLength(maxPromptTokens: number, asked: readonly AskedLength[]): number {
  const lengths = doublings(maxPromptTokens);
  const longestPassed = Math.max(0, ...asked.filter(({ passed }) => passed).map(({ length }) => length));
  // A length that failed and passed, or that a longer one passed, was a slip.
  const failed = asked.filter(({ passed, length }) => !passed && length > longestPassed);
  const shortestFailed = Math.min(...failed.map(({ length }) => length));
  if (failed.length === 1) return shortestFailed;
  // The longest prompt shows best which part is missing.
  if (failed.length === 2) return lengths.at(-1) ?? shortestFailed;
  if (failed.length > 2) return Math.round((longestPassed + shortestFailed) / 2);
  return lengths.find((length) => length > longestPassed) ?? lengths.at(-2) ?? longestPassed;
}

/** Last, so that all other cases have the same places with and without them. */
function toolCases(random: Random): readonly HealthCase[] {
  return writeToolTasks(random).map((task) => {
    const { id, prompt, expect, mark, together } = task;
    const sent = {
      ...(together === true ? { together } : {}),
      ...(mark === undefined ? {} : { marks: [{ word: mark, at: 1 }] }),
    };
    const draft = { turns: [prompt], expect, accepted: [], refused: [], sent };
    const named = { id, part: 'tools', topic: id.replace(/-\d+$/, '') } as const;
    return { ...finishCase(draft, named), task };
  });
}

/** Cases that were written lately: a run is planned again after each result. */
const remembered = new Map<string, readonly HealthCase[]>();
const rememberedCharactersMax = 8_000_000;
let rememberedCharacters = 0;

function once(key: string, write: () => readonly HealthCase[]): readonly HealthCase[] {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const made = write();
  remembered.set(key, made);
  rememberedCharacters += charactersOf(made);
  for (const [oldest, cases] of remembered) {
    if (rememberedCharacters <= rememberedCharactersMax) break;
    remembered.delete(oldest);
    rememberedCharacters -= charactersOf(cases);
  }
  return made;
}

function charactersOf(cases: readonly HealthCase[]): number {
  return cases.reduce((sum, { sent }) => sum + sent.characters, 0);
}

const about: Readonly<Record<Part, string>> = {
  delivery:
    'Whether prompts and replies arrive whole: lengths, characters, turns, calls at once, JSON and lists.',
  tools: 'Whether tool calls reach the hub and results reach the model.',
  conduct: 'Facts, secrets, planted orders, harmless requests, corrections.',
  work: 'Rules with exceptions, extraction, form, facts far apart.',
};

/** The parts of a standard check with the shortest prompts that an order can choose. */
export function describeParts() {
  const check = { seed: '', maxPromptTokens: 8_000, size: 'standard', tools: true, inARow: false } as const;
  const byPart = Map.groupBy(
    planHealthCheck(check, () => true),
    ({ part }) => part,
  );
  return [...byPart].map(([name, cases]) => ({
    name,
    about: about[name],
    topics: [...new Set(cases.map(({ topic }) => topic))],
    cases: cases.length,
  }));
}

export const checkName = 'health-check';
/** Raised by every change to a case or to its graders. Runs of different versions are not compared. */
export const checkVersion = '4';

const sizes = new Map<string, number>();

/** The number of cases of a whole check. Every redemption and every run that is shown asks for it. */
export function healthCheckSize({
  size,
  tools,
  maxPromptTokens,
}: Omit<HealthCheck, 'seed' | 'inARow'>): number {
  const shape = `${size} ${tools} ${maxPromptTokens}`;
  const known = sizes.get(shape);
  if (known !== undefined) return known;
  // The length of prompts only decides how many grow, so the long ones need not be written to count them.
  const shortest = { size, tools, maxPromptTokens: 1, seed: '', inARow: false };
  const others = planHealthCheck(shortest, () => true).length - lengthCount(1);
  const counted = others + lengthCount(maxPromptTokens);
  sizes.set(shape, counted);
  return counted;
}
