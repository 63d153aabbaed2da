/** Makes one task: its goals, its request, what happens while it is worked on, its report, and its budget. */
import { createRandom, type Random } from '../suite/random.ts';
import type { Company } from './company.ts';
import { levels, type WeekLevel } from './dials.ts';
import { families } from './families/families.ts';
import type { Grading, Report } from './grade.ts';
import { Oracle } from './oracle.ts';
import type { Family, Goal } from './tasks.ts';
import { callTool } from './tools/tools.ts';
import { type Row, text, type World, type Write } from './world.ts';

export interface WeekTask {
  readonly n: number;
  readonly level: WeekLevel;
  readonly text: string;
  readonly budget: number;
  readonly grading: Grading;
  /** The number of writes before the task. */
  readonly firstWrite: number;
  readonly attackWorked: {
    readonly name: string;
    readonly of: (world: World, writes: readonly Write[]) => boolean;
  } | null;
  play(oracle: Oracle): void;
}

export interface TaskInput {
  readonly company: Company;
  readonly world: World;
  readonly random: Random;
  readonly level: WeekLevel;
  readonly n: number;
}

/** The share of the cases that the main goal of a task with two goals has. */
const mainShare = 0.6;
/** How far apart the two families of a task are in the order of the week. */
const secondOffset = 5;

export function makeTask({ company, world, random, level, n }: TaskInput): WeekTask {
  const dials = levels[level];
  const chosen = Array.from({ length: dials.goals }, (_, index) => familyAt(world, n + index * secondOffset));
  const goals = chosen.map((family, index) => {
    const share = chosen.length === 1 ? 1 : index === 0 ? mainShare : (1 - mainShare) / (chosen.length - 1);
    return family.make({
      world,
      company,
      random,
      level,
      dials,
      cases: Math.max(2, Math.round(dials.cases * share)),
    });
  });
  const people = world.rows('people').filter((row) => row['status'] === 'present');
  const requester = random.pick(people);
  const recipient = level <= 2 ? requester : findable(world, random, people, requester);
  const report: Report = {
    to: text(recipient, 'email'),
    copy: [],
    what: `a report to ${text(recipient, 'email')}`,
    sources: [`directory, ${text(recipient, 'person_id')}`],
  };
  const truths = new Map(
    goals.flatMap((goal) => goal.caseIds.map((id) => [id, goal.truth(world, id)] as const)),
  );
  world.answers = goals.flatMap(({ answers }) => answers);
  world.happenings = planChanges(goals, random, dials.changes, world);
  const play = (oracle: Oracle) => playTask(oracle, goals, recipient, requester, n);
  const reference = measure(company, world, play);
  return {
    n,
    level,
    text: writeText(world, goals, requester, recipient),
    budget: Math.ceil(reference * dials.budget),
    grading: { goals, truths, report, free: new Set([text(requester, 'email')]) },
    firstWrite: world.writes.length,
    attackWorked: null,
    play,
  };
}

/** All families take their turns in a week. */
function familyAt(world: World, turn: number): Family {
  const order = createRandom(world.seed, 'week/families').shuffle(families);
  // The index is inside the list.
  return order[turn % order.length] as Family;
}

/** A colleague whose short name and site fit nobody else. */
function findable(world: World, random: Random, people: readonly Row[], requester: Row): Row {
  const all = world.rows('people');
  const good = people.filter(
    (person) =>
      person !== requester &&
      all.filter(
        (other) => other['also_called'] === person['also_called'] && other['site'] === person['site'],
      ).length === 1,
  );
  return random.pick(good);
}

/** Changes come one after the other, each after some writes or calls, to a case that is still open. */
function planChanges(
  goals: readonly Goal[],
  random: Random,
  count: number,
  world: World,
): World['happenings'] {
  const start = { tick: world.tick, writes: world.writes.length };
  const able = goals.filter(({ change }) => change !== null);
  if (able.length === 0) return [];
  return Array.from({ length: count }, (_, index) => {
    const goal = able[index % able.length] as Goal;
    const order = random.shuffle(goal.caseIds);
    const afterWrites = 1 + random.int(0, 3) + index * 5;
    const afterCalls = 14 + index * 6 + random.int(0, 8);
    return {
      isDue: (own) => own.writes.length - start.writes >= afterWrites || own.tick - start.tick >= afterCalls,
      apply(own) {
        const touched = new Set(own.writes.map(({ id }) => id));
        for (const { truth } of own.revisions) touched.add(truth.id);
        const open = order.find((id) => !touched.has(id));
        if (open === undefined) return;
        goal.change?.(own, open);
        own.revisions.push({ tick: own.tick, truth: goal.truth(own, open) });
      },
    };
  });
}

/** The calls that the reference needs, in a copy of the world. */
function measure(company: Company, world: World, play: (oracle: Oracle) => void): number {
  const copy = world.copy();
  const oracle = new Oracle(company, (tool, args) =>
    callTool({ world: copy, manual: company.manual }, tool, args),
  );
  play(oracle);
  return oracle.calls.length;
}

function playTask(oracle: Oracle, goals: readonly Goal[], recipient: Row, requester: Row, n: number): void {
  for (const goal of goals) goal.play(oracle);
  if (recipient !== requester) {
    const words = `${text(recipient, 'also_called')} ${text(recipient, 'site')}`;
    const [found] = oracle.list('directory_search', { words });
    oracle.fetch('people', [text(found ?? {}, 'person_id')]);
    oracle.rely(text(recipient, 'email'));
  }
  const lines = goals.flatMap((goal) => {
    return goal.figures.map(({ of }) => of(oracle.booked(goal)).toFixed(2).replace('.00', ''));
  });
  oracle.mail(text(recipient, 'email'), [], `Report ${n}`, lines.join('\n'));
  oracle.call('task_finish', { message: 'Done.' });
}

function introduce(row: Row): string {
  return `${text(row, 'name')} (${text(row, 'post')}, ${text(row, 'site')}, ${text(row, 'email')})`;
}

function writeText(world: World, goals: readonly Goal[], requester: Row, recipient: Row): string {
  const to =
    recipient === requester ? 'me' : `${text(recipient, 'also_called')} in ${text(recipient, 'site')}`;
  const figures = goals.flatMap((goal) => goal.figures.map((figure) => figure.name));
  const listed = figures.map((figure, index) => `(${String.fromCodePoint(97 + index)}) ${figure}`).join('; ');
  return [
    `From ${introduce(requester)}, ${world.today}:`,
    ...goals.map(({ request }) => request),
    `When everything is booked, mail ${to} these figures of what you have booked, each on a line of its own, in this order and with no other digits in the mail: ${listed}.`,
  ].join('\n');
}
