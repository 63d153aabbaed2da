/** A hundred ways to state one right answer, written without knowledge of the reader that must understand them. */
import { agentStyles } from './agents.ts';
import type { AnswerStyle } from './answer-style.ts';
import { chattyStyles } from './chatty.ts';
import { labelStyles } from './labels.ts';
import { latexHtmlStyles } from './latex-html.ts';
import { markdownStyles } from './markdown.ts';
import { plainStyles } from './plain.ts';
import { reasoningStyles } from './reasoning.ts';
import { structuredStyles } from './structured.ts';
import { tagStyles } from './tags.ts';
import { typographyStyles } from './typography.ts';

export const answerStyles: readonly AnswerStyle[] = [
  ...plainStyles,
  ...labelStyles,
  ...markdownStyles,
  ...tagStyles,
  ...structuredStyles,
  ...latexHtmlStyles,
  ...reasoningStyles,
  ...chattyStyles,
  ...typographyStyles,
  ...agentStyles,
];
