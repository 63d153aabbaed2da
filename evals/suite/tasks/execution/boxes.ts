/** Things in boxes that are moved many times. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';
import type { Task } from '../../task.ts';

/** By box: the things in it, in the order in which they were put in. */
type Boxes = readonly (readonly string[])[];

type Move =
  | { readonly does: 'move'; readonly thing: string; readonly to: number }
  | { readonly does: 'pour'; readonly from: number; readonly to: number }
  | { readonly does: 'last'; readonly from: number; readonly to: number }
  | { readonly does: 'swap'; readonly from: number; readonly to: number }
  | {
      readonly does: 'if in';
      readonly thing: string;
      readonly box: number;
      readonly met: Move;
      readonly otherwise: Move;
    };

const boxNames = 'red blue green white black yellow orange purple'.split(' ');
const things = (
  'acorn button candle dice eraser feather glove hammer inkwell jigsaw kettle lemon marble needle onion pebble quill ' +
  'ribbon spoon thimble urchin violin walnut zipper'
).split(' ');
const boxCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 4, 3: 5, 4: 6, 5: 7, 6: 8, 7: 8, 8: 8 };
const thingCounts: Readonly<Record<Level, number>> = { 1: 6, 2: 9, 3: 12, 4: 16, 5: 20, 6: 22, 7: 24, 8: 24 };

export function makeBoxes(random: Random, level: Level, stepCount: number): Task {
  const names = random.sample(boxNames, boxCounts[level]);
  return firstDraft(() => {
    const opening: string[][] = names.map(() => []);
    for (const thing of random.sample(things, thingCounts[level])) random.pick(opening).push(thing);
    const moves: Move[] = [];
    let boxes: Boxes = opening;
    while (moves.length < stepCount) {
      const move = drawMove(random, boxes);
      const after = applyMove(boxes, move);
      const branches = move.does === 'if in' ? [move.met, move.otherwise] : [];
      const results = branches.map((branch) => keyOf(applyMove(boxes, branch)));
      if (keyOf(after) === keyOf(boxes) || (results.length > 0 && results[0] === results[1])) continue;
      moves.push(move);
      boxes = after;
    }
    const run = (kept: readonly Move[], branch?: boolean) =>
      kept.reduce((before, move) => applyMove(before, move, branch), opening as Boxes);
    const wrong = [run(moves, true), run(moves, false), opening];
    const open = boxes.flatMap((content, box) => {
      const isAlike = wrong.some((other) => sorted(other[box]) === sorted(content));
      return content.length < 2 || isAlike ? [] : [box];
    });
    if (open.length === 0) return null;
    const asked = random.pick(open);
    const told = moves.map((move, index) => `${index + 1}. ${sentence(tell(names, move))}`);
    const contents = opening.map(
      (content, box) => `- ${names[box] ?? ''}: ${content.join(', ') || 'nothing'}`,
    );
    const before = run(moves.slice(0, -1));
    return exactTask({
      prompt: [
        'Some boxes hold these things, named in the order in which they were put in:',
        contents.join('\n'),
        'Then the things are moved. Things that are moved together keep their order and count as put in after what is already there, and so does a thing that goes into the box that it is in. A step that takes from an empty box does nothing; a swap also works if one of the boxes is empty.',
        told.join('\n'),
        `What is in the ${names[asked] ?? ''} box after step ${moves.length}? ${askForAnswer(random, 'all the things in it, in any order, separated by commas')}`,
      ].join('\n\n'),
      type: 'set',
      value: boxes[asked] ?? [],
      skill: 'state-tracking',
      mistakes: [...[...wrong, before].map((other) => other[asked] ?? []), (boxes[asked] ?? []).slice(1)],
    });
  });
}

function applyMove(boxes: Boxes, move: Move, branch?: boolean): Boxes {
  const of = (box: number) => boxes[box] ?? [];
  switch (move.does) {
    case 'move': {
      const without = boxes.map((content) => content.filter((thing) => thing !== move.thing));
      return without.with(move.to, [...(without[move.to] ?? []), move.thing]);
    }
    case 'pour':
      return boxes.with(move.to, [...of(move.to), ...of(move.from)]).with(move.from, []);
    case 'last':
      return boxes
        .with(move.to, [...of(move.to), ...of(move.from).slice(-1)])
        .with(move.from, of(move.from).slice(0, -1));
    case 'swap':
      return boxes.with(move.to, of(move.from)).with(move.from, of(move.to));
    case 'if in': {
      const isIn = branch ?? of(move.box).includes(move.thing);
      return applyMove(boxes, isIn ? move.met : move.otherwise);
    }
  }
}

function drawMove(random: Random, boxes: Boxes): Move {
  if (random.chance(0.75)) return drawPlainMove(random, boxes);
  const box = random.int(0, boxes.length - 1);
  // Half the time a thing that is in the box; otherwise the condition would almost always fail.
  const here = boxes[box] ?? [];
  const thing = here.length > 0 && random.chance(0.5) ? random.pick(here) : random.pick(boxes.flat());
  return {
    does: 'if in',
    thing,
    box,
    met: drawPlainMove(random, boxes),
    otherwise: drawPlainMove(random, boxes),
  };
}

function drawPlainMove(random: Random, boxes: Boxes): Move {
  const [from = 0, to = 0] = random.sample([...boxes.keys()], 2);
  const drawn = random.int(1, 20);
  if (drawn <= 11) return { does: 'move', thing: random.pick(boxes.flat()), to };
  if (drawn <= 17) return { does: 'last', from, to };
  return drawn <= 19 ? { does: 'swap', from, to } : { does: 'pour', from, to };
}

function tell(names: readonly string[], move: Move): string {
  const box = (index: number) => `the ${names[index] ?? ''} box`;
  switch (move.does) {
    case 'move':
      return `the ${move.thing} goes into ${box(move.to)}`;
    case 'pour':
      return `everything from ${box(move.from)} goes into ${box(move.to)}`;
    case 'last':
      return `what was put last into ${box(move.from)} goes into ${box(move.to)}`;
    case 'swap':
      return `${box(move.from)} and ${box(move.to)} swap contents`;
    case 'if in':
      return `if the ${move.thing} is in ${box(move.box)}, ${tell(names, move.met)}; otherwise ${tell(names, move.otherwise)}`;
  }
}

function keyOf(boxes: Boxes): string {
  return boxes.map((content) => content.join(',')).join('/');
}

function sorted(content: readonly string[] = []): string {
  return content.toSorted().join();
}
