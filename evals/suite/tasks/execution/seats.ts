/** People in a row of seats who move many times. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { firstNames } from '../../language/first-names.ts';
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';
import type { Task } from '../../task.ts';

type Move =
  | { readonly does: 'swap'; readonly first: string; readonly second: string }
  | { readonly does: 'swap seats'; readonly seat: number; readonly other: number }
  | { readonly does: 'to front' | 'to back'; readonly person: string }
  | { readonly does: 'rotate' }
  | {
      readonly does: 'if before';
      readonly first: string;
      readonly second: string;
      readonly met: Move;
      readonly otherwise: Move;
    };

const seatCounts: Readonly<Record<Level, number>> = { 1: 4, 2: 5, 3: 6, 4: 8, 5: 10, 6: 11, 7: 12, 8: 13 };

export function makeSeats(random: Random, level: Level, stepCount: number): Task {
  return firstDraft(() => {
    const opening = random.sample(firstNames, seatCounts[level]);
    const moves: Move[] = [];
    let row: readonly string[] = opening;
    while (moves.length < stepCount) {
      const move = drawMove(random, row);
      const after = applyMove(row, move);
      const branches = move.does === 'if before' ? [move.met, move.otherwise] : [];
      const results = branches.map((branch) => applyMove(row, branch).join());
      if (after.join() === row.join() || (results.length > 0 && results[0] === results[1])) continue;
      moves.push(move);
      row = after;
    }
    const run = (kept: readonly Move[], branch?: boolean) =>
      kept.reduce((before, move) => applyMove(before, move, branch), opening as readonly string[]);
    const mistakes = [run(moves, true), run(moves, false), run(moves.slice(0, -1)), opening];
    if (mistakes.some((mistake) => mistake.join() === row.join())) return null;
    const told = moves.map((move, index) => `${index + 1}. ${sentence(tell(move))}`);
    return exactTask({
      prompt: [
        `${opening.length} people sit in a row, from seat 1 at the front to seat ${opening.length} at the back: ${opening.join(', ')}.`,
        'They change places step by step. When seats swap, the people in them do. Whoever goes to the front takes seat 1 and whoever goes to the back takes the last seat; the others keep their order and close up. When the row rotates, everybody moves one seat towards the back, and whoever sat in the last seat takes seat 1. A person is ahead of everybody who has a higher seat number.',
        told.join('\n'),
        `Who sits where after step ${moves.length}? ${askForAnswer(random, 'the names from seat 1 to the last seat, separated by commas')}`,
      ].join('\n\n'),
      type: 'list',
      value: row,
      skill: 'state-tracking',
      mistakes,
    });
  });
}

function applyMove(row: readonly string[], move: Move, branch?: boolean): readonly string[] {
  switch (move.does) {
    case 'swap':
      return exchange(row, row.indexOf(move.first), row.indexOf(move.second));
    case 'swap seats':
      return exchange(row, move.seat, move.other);
    case 'to front':
      return [move.person, ...row.filter((person) => person !== move.person)];
    case 'to back':
      return [...row.filter((person) => person !== move.person), move.person];
    case 'rotate':
      return [...row.slice(-1), ...row.slice(0, -1)];
    case 'if before': {
      const isBefore = branch ?? row.indexOf(move.first) < row.indexOf(move.second);
      return applyMove(row, isBefore ? move.met : move.otherwise);
    }
  }
}

function exchange(row: readonly string[], one: number, two: number): readonly string[] {
  return row.with(one, row[two] ?? '').with(two, row[one] ?? '');
}

function drawMove(random: Random, row: readonly string[]): Move {
  if (random.chance(0.75)) return drawPlainMove(random, row);
  const [first = '', second = ''] = random.sample(row, 2);
  return {
    does: 'if before',
    first,
    second,
    met: drawPlainMove(random, row),
    otherwise: drawPlainMove(random, row),
  };
}

function drawPlainMove(random: Random, row: readonly string[]): Move {
  const [first = '', second = ''] = random.sample(row, 2);
  const drawn = random.int(1, 10);
  if (drawn <= 4) return { does: 'swap', first, second };
  if (drawn <= 7) return { does: 'swap seats', seat: row.indexOf(first), other: row.indexOf(second) };
  if (drawn === 8) return { does: 'to front', person: first };
  return drawn === 9 ? { does: 'to back', person: first } : { does: 'rotate' };
}

function tell(move: Move): string {
  switch (move.does) {
    case 'swap':
      return `${move.first} and ${move.second} swap`;
    case 'swap seats':
      return `seats ${move.seat + 1} and ${move.other + 1} swap`;
    case 'to front':
      return `${move.person} goes to the front`;
    case 'to back':
      return `${move.person} goes to the back`;
    case 'rotate':
      return 'the row rotates';
    case 'if before':
      return `if ${move.first} is ahead of ${move.second}, ${tell(move.met)}; otherwise ${tell(move.otherwise)}`;
  }
}
