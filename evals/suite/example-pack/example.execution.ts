/** A walk across the squares of a yard, one instruction after the other. */
import {
  askForAnswer,
  type Category,
  exactTask,
  firstDraft,
  type Kind,
  type Level,
  type Random,
} from 'agent-hub/eval-suite';

const stepCounts: Readonly<Record<Level, number>> = {
  1: 6,
  2: 15,
  3: 40,
  4: 90,
  5: 180,
  6: 240,
  7: 300,
  8: 360,
};
/** Far enough from the edge that no coordinate is negative. */
const start = 2_000;
/** North, east, south, west. */
const headings = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const;

interface Walker {
  east: number;
  north: number;
  heading: number;
  lastDistance: number;
}

interface Step {
  readonly text: string;
  readonly apply: (walker: Walker) => void;
}

const walk: Kind = {
  name: 'yard-walk',
  make: (random, level) =>
    firstDraft(() => {
      const steps = Array.from({ length: stepCounts[level] }, () => drawStep(random));
      const end = follow(steps);
      const [short, swapped] = [follow(steps.slice(0, -1)), [String(end.north), String(end.east)]];
      const value = [String(end.east), String(end.north)];
      if (end.east === start || end.north === start || end.east === end.north) return null;
      return exactTask({
        prompt: `A cart stands on the square ${start}, ${start} of a yard and faces north. The first number of a square grows to the east, the second to the north. The cart follows these instructions:\n\n${steps
          .map(({ text }, index) => `${index + 1}. ${text}`)
          .join('\n')}\n\nOn which square does it stand at the end? ${askForAnswer(
          random,
          'the two whole numbers, separated by a comma',
        )}`,
        type: 'list',
        value,
        skill: 'state-tracking',
        mistakes: [
          swapped,
          [String(short.east), String(short.north)],
          [String(2 * start - end.east), String(end.north)],
        ],
      });
    }),
};

function drawStep(random: Random): Step {
  const distance = random.int(1, 9);
  return random.pick<Step>([
    { text: `Move ${distance} squares forward.`, apply: (walker) => move(walker, distance) },
    { text: `Move ${distance} squares forward.`, apply: (walker) => move(walker, distance) },
    { text: `Move ${distance} squares backward.`, apply: (walker) => move(walker, -distance) },
    { text: 'Turn left.', apply: (walker) => void (walker.heading = (walker.heading + 3) % 4) },
    { text: 'Turn right.', apply: (walker) => void (walker.heading = (walker.heading + 1) % 4) },
    { text: 'Turn around.', apply: (walker) => void (walker.heading = (walker.heading + 2) % 4) },
    {
      text: 'Move forward as many squares as in the last move, forward or backward; do nothing if there was none.',
      apply: (walker) => move(walker, Math.abs(walker.lastDistance)),
    },
  ]);
}

function follow(steps: readonly Step[]): Walker {
  const walker: Walker = { east: start, north: start, heading: 0, lastDistance: 0 };
  for (const { apply } of steps) apply(walker);
  return walker;
}

function move(walker: Walker, distance: number): void {
  const [east, north] = headings[walker.heading] ?? [0, 0];
  walker.east += east * distance;
  walker.north += north * distance;
  walker.lastDistance = distance;
}

export const category: Category = {
  name: 'execution',
  description: 'Follows many small steps without losing the state.',
  kinds: [walk],
};
