/**
 * The figures of the reader: a perfect solver in every style, and wrong replies of every kind. `npm run test:suite`
 * prints the long form.
 */
import { describe, expect, test } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { readAnswer } from '#evals/suite/reader/read-answer.ts';
import { isRight } from '#evals/suite/reader/same-answer.ts';
import { drawSeed } from '../draw-seeds.ts';
import type { AnswerStyle, StyledAnswer } from '../styles/answer-style.ts';
import { composedStyles } from '../styles/compose-styles.ts';
import { answerStyles } from '../styles/index.ts';
import { wrongReplies } from '../styles/wrong-replies.ts';
import { replyStyles } from './reply-styles.ts';
import { answerTypes, drawAnswer, drawNearMiss } from './styled-answer.ts';
import type { DrawnAnswer } from './styled-answer.ts';
import { drawWrongReply, wrongReplyCount } from './wrong-replies.ts';

const long = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const seed = drawSeed('reader figures');
const maxTestMs = 900_000;

/** Prints one line of the table, and the styles that were misread. */
function report(name: string, right: number, total: number, failed: ReadonlyMap<string, number>): void {
  const names = [...failed].map(([style, count]) => `${style} ${count}`).join(', ');
  console.log(
    `reader | ${name.padEnd(44)} | ${right} of ${total} | ${((right / total) * 100).toFixed(3)} % | ${names}`,
  );
}

const right = (reply: string, answer: DrawnAnswer) =>
  isRight(readAnswer(reply, answer.type), answer.type, answer.value);

/** The share of replies in these styles from which the right answer is read. */
function measure(name: string, styles: readonly AnswerStyle[], draws: number): number {
  const failed = new Map<string, number>();
  let total = 0;
  for (const style of styles) {
    for (const type of style.types ?? answerTypes) {
      for (let draw = 0; draw < draws; draw += 1) {
        const random = createRandom(seed, `${name}/${style.name}/${type}/${draw}`);
        const answer = drawAnswer(random, type);
        // A drawn answer has the shape of a styled one of its type.
        const reply = style.write(answer as StyledAnswer, (items) => random.pick(items));
        total += 1;
        if (right(reply, answer)) continue;
        failed.set(style.name, (failed.get(style.name) ?? 0) + 1);
      }
    }
  }
  const wrong = [...failed.values()].reduce((sum, count) => sum + count, 0);
  report(name, total - wrong, total, failed);
  return (total - wrong) / total;
}

describe('a perfect solver is read', () => {
  test(
    'in a hundred styles by somebody who had not seen the reader',
    () => {
      expect(measure('independent styles', answerStyles, long ? 100 : 2)).toBeGreaterThanOrEqual(0.999);
    },
    maxTestMs,
  );

  test(
    'in compositions of those styles',
    () => {
      expect(measure('compositions', composedStyles, long ? 20 : 1)).toBeGreaterThanOrEqual(0.999);
    },
    maxTestMs,
  );

  test(
    'in the styles of the reader',
    () => {
      const styles = replyStyles.map((style): AnswerStyle => {
        const { name, types } = style;
        const random = createRandom(seed, name);
        const made = { name, write: (answer: StyledAnswer) => style.write(answer, random) };
        return types === undefined ? made : { ...made, types };
      });
      expect(measure('own styles', styles, long ? 100 : 2)).toBeGreaterThanOrEqual(0.999);
    },
    maxTestMs,
  );
});

describe('no wrong reply passes', () => {
  test(
    'in any style that dresses a near miss',
    () => {
      const passed: string[] = [];
      let total = 0;
      for (const style of answerStyles) {
        for (const type of style.types ?? answerTypes) {
          for (let draw = 0; draw < (long ? 60 : 1); draw += 1) {
            const random = createRandom(seed, `near/${style.name}/${type}/${draw}`);
            const answer = drawAnswer(random, type);
            const wrong = drawNearMiss(random, answer);
            const reply = style.write(wrong as StyledAnswer, (items) => random.pick(items));
            total += 1;
            if (right(reply, answer)) passed.push(`${style.name}: ${reply}`);
          }
        }
      }
      report('near misses in independent styles, refused', total - passed.length, total, new Map());
      expect(passed).toEqual([]);
    },
    maxTestMs,
  );

  test(
    'that hedges, denies, retracts or names a rival',
    () => {
      const passed: string[] = [];
      const total = long ? wrongReplyCount * 30 : wrongReplyCount;
      for (let place = 0; place < total; place += 1) {
        for (const type of answerTypes) {
          const random = createRandom(seed, `wrong/${place}/${type}`);
          const answer = drawAnswer(random, type);
          const { reply, template } = drawWrongReply(random, answer, place);
          if (right(reply, answer)) passed.push(`${template}: ${reply}`);
        }
      }
      report(
        'wrong replies, refused',
        total * answerTypes.length - passed.length,
        total * answerTypes.length,
        new Map(),
      );
      expect(passed).toEqual([]);
    },
    maxTestMs,
  );

  test(
    'of the independent set',
    () => {
      const passed: string[] = [];
      let total = 0;
      for (const style of wrongReplies) {
        for (const type of style.types ?? answerTypes) {
          for (let draw = 0; draw < (long ? 60 : 1); draw += 1) {
            const random = createRandom(seed, `independent/${style.name}/${type}/${draw}`);
            const answer = drawAnswer(random, type);
            const reply = style.write(answer as StyledAnswer, (items) => random.pick(items));
            total += 1;
            if (right(reply, answer)) passed.push(`${style.name}: ${reply}`);
          }
        }
      }
      report('independent wrong replies, refused', total - passed.length, total, new Map());
      expect(passed).toEqual([]);
    },
    maxTestMs,
  );
});
