/** Instructions about length and about parts of the text that can be counted. */
import { graderSpec } from '../../graders/grader.ts';
import { bulletCount, highlightCount, placeholderCount, sectionCount } from './graders/content.ts';
import { nthParagraphFirstWord, paragraphCount, sentenceCount, wordCount } from './graders/length.ts';
import { inventWord } from '../../language/invented-word.ts';
import type { MakeConstraint } from './constraint.ts';

export const makeSentenceCount: MakeConstraint = (random) => {
  const relation = random.pick(['at least', 'fewer than'] as const);
  const count = random.int(4, 8);
  return {
    sentence: random.pick([
      `Write ${relation} ${count} sentences. A sentence ends with a full stop, an exclamation mark or a question mark.`,
      `Your reply must have ${relation} ${count} sentences, each ending with ".", "!" or "?".`,
    ]),
    spec: graderSpec(sentenceCount, { relation, count }),
    shape: (plan) => {
      if (relation === 'at least') plan.sentences = count;
    },
  };
};

export const makeWordCount: MakeConstraint = (random) => {
  const relation = random.pick(['at least', 'fewer than'] as const);
  const count = random.int(12, 30) * 5;
  return {
    sentence: random.pick([
      `Write ${relation} ${count} words. Whatever stands between spaces or line breaks counts as a word.`,
      `Your reply must be ${relation} ${count} words long, a word being whatever stands between spaces or line breaks.`,
    ]),
    spec: graderSpec(wordCount, { relation, count }),
    shape: (plan) => {
      if (relation === 'at least') plan.minWords = count;
    },
  };
};

export const makeParagraphCount: MakeConstraint = (random) => {
  const count = random.int(2, 5);
  return {
    sentence: random.pick([
      `Write exactly ${count} paragraphs and put a line with three asterisks (***) between one paragraph and the next.`,
      `There should be ${count} paragraphs. Part them with lines that hold nothing but ***.`,
    ]),
    spec: graderSpec(paragraphCount, { count }),
    shape: (plan) => void Object.assign(plan, { layout: 'stars', blocks: count }),
  };
};

export const makeNthParagraphFirstWord: MakeConstraint = (random) => {
  const paragraphs = random.int(3, 5);
  const nth = random.int(1, paragraphs);
  const word = inventWord(random, 2);
  return {
    sentence: random.pick([
      `Write exactly ${paragraphs} paragraphs with blank lines between them. Paragraph ${nth} must begin with the word "${word}".`,
      `Your reply has ${paragraphs} paragraphs, parted by blank lines and nothing else, and the first word of paragraph ${nth} is "${word}".`,
    ]),
    spec: graderSpec(nthParagraphFirstWord, { paragraphs, nth, word }),
    shape: (plan) =>
      void Object.assign(plan, {
        layout: 'blank-lines',
        blocks: paragraphs,
        firstWord: { block: nth - 1, word },
      }),
  };
};

export const makeBulletCount: MakeConstraint = (random) => {
  const count = random.int(2, 6);
  return {
    sentence: random.pick([
      `Include exactly ${count} bullet points, each on its own line and starting with an asterisk and a space.`,
      `Your reply must contain a list of exactly ${count} bullet points. Start each with "* " on a new line.`,
    ]),
    spec: graderSpec(bulletCount, { count }),
    shape: (plan) => void Object.assign(plan, { layout: 'bullets', blocks: count }),
  };
};

export const makeSectionCount: MakeConstraint = (random) => {
  const count = random.int(2, 4);
  const splitter = random.pick(['Section', 'Part', 'Chapter']);
  return {
    sentence: random.pick([
      `Divide your reply into exactly ${count} sections. Head each with a line of its own: the word ${splitter} and its number, from 1 up.`,
      `Use exactly ${count} numbered sections; the line above each one says ${splitter} and the number, beginning with 1.`,
    ]),
    spec: graderSpec(sectionCount, { splitter, count }),
    shape: (plan) => void Object.assign(plan, { layout: 'sections', blocks: count, sectionWord: splitter }),
  };
};

export const makeHighlightCount: MakeConstraint = (random) => {
  const count = random.int(2, 5);
  return {
    sentence: random.pick([
      `Highlight at least ${count} parts of your text by putting one asterisk directly before and one directly after each.`,
      `Mark at least ${count} passages with Markdown emphasis: an asterisk on either side.`,
    ]),
    spec: graderSpec(highlightCount, { count }),
    shape: (plan) => void plan.extraWords.push(...Array.from({ length: count }, () => '*notably*')),
  };
};

export const makePlaceholderCount: MakeConstraint = (random) => {
  const count = random.int(2, 6);
  return {
    sentence: random.pick([
      `Leave at least ${count} placeholders to be filled in later, each in square brackets.`,
      `Your text must hold ${count} or more placeholders; write a placeholder as a word in square brackets.`,
    ]),
    spec: graderSpec(placeholderCount, { count }),
    shape: (plan) => void plan.extraWords.push(...Array.from({ length: count }, () => '[name]')),
  };
};
