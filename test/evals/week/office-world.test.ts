/** A task as a world against the week itself, driven with the same calls. */
import { expect, test } from 'bun:test';
import { createRandom, type Random } from '#evals/random.ts';
import {
  argumentBytesOf,
  argumentSize,
  nextWorld,
  type OfficeWorld,
  reminder,
  verdictOf,
  weekAfter,
} from '#evals/week/office-world.ts';

import { weekTools } from '#evals/week/tools/tools.ts';
import {
  makeWeek,
  playTask,
  promptOf,
  type Week,
  type WeekCall,
  type WeekOptions,
} from '#evals/week/week.ts';
import { replay, type Step } from '#evals/worlds/world.ts';
import { drawSeeds } from '../draw-seeds.ts';

const options: WeekOptions = { tasks: 4 };

/** The calls of the reference, some left out, some doubled, some wrong, in steps of several calls, and steps without. */
function drawSteps(random: Random, calls: readonly WeekCall[]): Step[] {
  const wrong: readonly WeekCall[] = [
    { tool: 'no_such_tool', args: {} },
    { tool: 'ledger_get', args: 'text' },
    { tool: 'mail_list', args: { cursor: 'x-y-z' } },
    { tool: 'notes_write', args: { text: 'x'.repeat(5_000) } },
    { tool: 'ask', args: { to: 'nobody', about: 'x', question: 'Who?' } },
  ];
  const drawn = calls.flatMap((call) => {
    if (random.chance(0.05)) return [];
    if (random.chance(0.05)) return [call, call];
    return random.chance(0.1) ? [random.pick(wrong), call] : [call];
  });
  const steps: Step[] = [];
  while (drawn.length > 0) {
    const taken = random.chance(0.02) ? [] : drawn.splice(0, random.int(1, 6));
    const own = taken.map(({ tool, args }, index) => ({ id: `c${index}`, name: tool, arguments: args }));
    steps.push({ text: null, calls: own });
  }
  if (random.chance(0.1)) steps.push({ text: 'Done.', calls: [] }, { text: 'Done.', calls: [] });
  return steps;
}

/** What a run does with the replies of an agent in the open task of a week: results, and the reminder. */
function driveWeek(week: Week, steps: readonly Step[]): { said: string[]; taken: Step[] } {
  const { n, budget } = week.present() ?? { n: 0, budget: 0 };
  const said: string[] = [];
  const taken: Step[] = [];
  let bytes = 0;
  let isReminded = false;
  for (const step of steps) {
    if (week.verdicts.length >= n) break;
    taken.push(step);
    if (step.calls.length === 0) {
      if (isReminded) week.end();
      else said.push(reminder);
      isReminded = true;
      continue;
    }
    bytes += step.calls.reduce((sum, call) => sum + argumentSize(call.arguments), 0);
    if (bytes > argumentBytesOf(budget)) week.end();
    for (const call of step.calls) {
      if (week.verdicts.length >= n) break;
      said.push(JSON.stringify(week.call(call.name, call.arguments)));
    }
  }
  if (week.verdicts.length < n) week.end();
  return { said, taken };
}

function worldAfter(seed: string, before: readonly Step[][]): OfficeWorld {
  const first = nextWorld(makeWeek(seed, options));
  return before.reduce((world, steps) => nextWorld(weekAfter(replay(world, steps).state)), first);
}

/** Both ways through a week, and the last task once more from the seed and all steps. */
function compareWays(seed: string, stepsOf: (week: Week, random: Random) => Step[]): void {
  const random = createRandom(seed, 'steps');
  const week = makeWeek(seed, options);
  const before: Step[][] = [];
  let world = nextWorld(makeWeek(seed, options));
  for (let presented = week.present(); presented !== null; presented = week.present()) {
    const { n } = presented;
    const steps = stepsOf(week.copy(), random);
    expect([world.system, world.task]).toEqual([week.brief, presented]);
    expect(world.start().messages).toEqual([{ role: 'user', content: promptOf(presented) }]);
    const { said, taken } = driveWeek(week, steps);
    let turn = world.start();
    const heard: string[] = [];
    for (const step of taken) {
      expect(turn.done).toBe(false);
      turn = world.next(turn.state, step);
      for (const [index, message] of turn.messages.entries()) {
        heard.push(message.content);
        if (message.role === 'tool') expect(message.id).toBe(step.calls[index]?.id ?? '');
      }
    }
    expect(heard).toEqual(said);
    expect(verdictOf(turn.state)).toEqual(week.verdicts.at(-1)!);
    expect(turn.state.calls.map(({ result }) => result)).toEqual(said.filter((one) => one !== reminder));
    const isLast = n === options.tasks;
    const same = isLast ? worldAfter(seed, before) : world;
    const { messages, done, state } = replay(same, steps);
    expect([messages, done, state.calls]).toEqual([turn.messages, turn.done, turn.state.calls]);
    before.push(taken);
    if (!isLast) world = nextWorld(weekAfter(turn.state));
  }
}

test('a task is the same world as the week, whatever is called', () => {
  for (const seed of drawSeeds('office world', 2))
    compareWays(seed, (week, random) => drawSteps(random, playTask(week).calls));
});

test('a task ends with its last call, with too long arguments, and with a second reply without calls', () => {
  const look = { id: 'a', name: 'notes_read', arguments: {} };
  const long = { id: 'b', name: 'notes_write', arguments: { text: 'x'.repeat(9_000) } };
  const nothing: Step = { text: 'Hello.', calls: [] };
  const endings: readonly (readonly Step[])[] = [
    Array.from({ length: 200 }, () => ({ text: null, calls: [look, look] })),
    Array.from({ length: 40 }, () => ({ text: null, calls: [long, long] })),
    [{ text: null, calls: [look] }, nothing, { text: 'So?', calls: [look] }, nothing, nothing],
    [{ text: null, calls: [{ id: 'c', name: 'task_finish', arguments: { message: 'No.' } }, look] }],
  ];
  for (const steps of endings) {
    compareWays(drawSeeds('endings', 1)[0]!, () => [...steps]);
    const world = worldAfter(drawSeeds('endings', 1)[0]!, []);
    expect(replay(world, steps).done).toBe(true);
  }
});

test('a call is done, refused, or failed for a moment', () => {
  const world = worldAfter(drawSeeds('outcomes', 1)[0]!, []);
  const search = { name: 'mail_search', arguments: { words: 'x' } };
  const searches = Array.from({ length: 20 }, (_, index) => ({ id: `s${index}`, ...search }));
  const calls = [{ id: 'x', name: 'mail_list', arguments: { page: 1 } }, ...searches];
  const outcomes = world.next(world.start().state, { text: null, calls }).state.calls;
  expect(outcomes[0]).toMatchObject({ name: 'mail_list', arguments: { page: 1 }, outcome: 'refused' });
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['refused', 'done', 'failed']));
  expect(world.tools.map(({ name }) => name)).toEqual(weekTools.map(({ name }) => name));
});
