/** Styles inside styles, such as a bold answer line below a thinking block. */
import type { AnswerStyle, StyledAnswer } from './answer-style.ts';
import { answerStyles } from './index.ts';

/**
 * The reply of `inner` becomes the answer text of `outer`. `outer` must use `text` and nothing else to state the
 * answer, and must not put punctuation directly after it.
 */
export function composeStyles(inner: AnswerStyle, outer: AnswerStyle): AnswerStyle {
  const types = sharedTypes(inner.types, outer.types);
  return {
    name: `${inner.name}+${outer.name}`,
    ...(types && { types }),
    write: (answer, pick) => outer.write({ ...answer, text: inner.write(answer, pick) }, pick),
  };
}

/** Outer styles that leave room for a whole reply, with a label of its own. */
const carriers = [
  'think-tag',
  'think-tag-empty',
  'think-tag-unopened',
  'think-tag-dialect',
  'channels',
  'thought-and-solution-tokens',
  'friendly-opening',
  'note-below',
  'usage-footer',
  'chat-message',
];

/** Replies that stay unambiguous below other text. */
const replies = [
  'answer-line',
  'final-answer-line',
  'the-answer-is',
  'label-on-its-own-line',
  'bold-label',
  'bold-label-and-value',
  'bold-answer-line',
  'fenced',
  'answer-tag',
  'json',
  'json-fenced',
  'boxed-math',
  'boxed-in-sentence',
  'numbered-steps',
  'closing-phrase',
  'full-width-colon',
  'react-final-answer',
];

/** Outer styles that add a label or a frame to a bare value. */
const labels = [
  'answer-line',
  'final-answer-line',
  'bold-label',
  'answer-tag',
  'numbered-steps',
  'closing-phrase',
  'carriage-returns',
];

/** Ways to write the value itself. */
const values = [
  'bold',
  'italic',
  'inline-code',
  'bare-quoted',
  'curly-quotes',
  'boxed',
  'natural-form',
  'typographic-value',
  'full-width-value',
  'list-with-and',
  'list-in-brackets',
  'reordered-set',
  'capitalised',
];

const labelledValues = composeAll(values, labels);

/** Compositions of two or three styles that a fair reader still understands in one way only. */
export const composedStyles: readonly AnswerStyle[] = [
  ...composeAll(replies, carriers),
  ...labelledValues,
  ...labelledValues.flatMap((inner) =>
    ['think-tag', 'friendly-opening'].map((name) => composeStyles(inner, styleNamed(name))),
  ),
];

function composeAll(inner: readonly string[], outer: readonly string[]): AnswerStyle[] {
  return inner.flatMap((name) =>
    outer.map((outerName) => composeStyles(styleNamed(name), styleNamed(outerName))),
  );
}

function styleNamed(name: string): AnswerStyle {
  const style = answerStyles.find((candidate) => candidate.name === name);
  if (!style) throw new Error(`There is no style named ${name}.`);
  return style;
}

function sharedTypes(inner: AnswerStyle['types'], outer: AnswerStyle['types']): AnswerStyle['types'] {
  if (!inner || !outer) return inner ?? outer;
  return inner.filter((type: StyledAnswer['type']) => outer.includes(type));
}
