/** Instructions about the frame of the reply: its beginning, its end and its form as a whole. */
import { graderSpec } from '../../graders/grader.ts';
import { postscript, title } from './graders/content.ts';
import {
  constrainedResponse,
  endPhrase,
  jsonFormat,
  quotation,
  repeatRequest,
  twoResponses,
} from './graders/whole-reply.ts';
import { inventNames } from '../../language/invented-word.ts';
import type { MakeConstraint } from './constraint.ts';

export const makeTitle: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Give your text a title on a line of its own, with two less-than signs before it and two greater-than signs after it.',
    'Put a title above the text and wrap it in double angle brackets (two less-than signs and two greater-than signs).',
  ]),
  spec: graderSpec(title, {}),
  shape: (plan) => void (plan.title = true),
});

export const makePostscript: MakeConstraint = (random) => {
  const marker = random.pick(['P.S.', 'P.P.S.']);
  return {
    sentence: random.pick([
      `At the end, add a postscript on a new line that starts with ${marker}`,
      `Close with a postscript: a last line that begins with ${marker}`,
    ]),
    spec: graderSpec(postscript, { marker }),
    shape: (plan) => void (plan.postscript = marker),
  };
};

export const makeEndPhrase: MakeConstraint = (random) => {
  const [place = '', person = ''] = inventNames(random, 2);
  const phrase = random.pick([
    `That is how ${place} does it.`,
    `May ${person} have the last word.`,
    `Ask ${person} if you doubt it.`,
    `So much for ${place}.`,
  ]);
  return {
    sentence: random.pick([
      `Finish your reply with exactly this phrase and let nothing follow it: "${phrase}"`,
      `The very last words of your reply must be "${phrase}" (without the quotation marks).`,
    ]),
    spec: graderSpec(endPhrase, { phrase }),
    shape: (plan) => void (plan.endPhrase = phrase),
  };
};

export const makeQuotation: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Put your entire reply in double quotation marks.',
    'The first and the last character of your reply must be double quotation marks.',
  ]),
  spec: graderSpec(quotation, {}),
  shape: (plan) => void (plan.quoted = true),
});

export const makeJsonFormat: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Your whole reply must be one valid JSON object that holds the text. A code fence around it is allowed.',
    'Wrap the whole reply in JSON: one object and nothing outside it, except for a code fence if you like.',
  ]),
  spec: graderSpec(jsonFormat, {}),
  shape: (plan) => void (plan.json = true),
});

export const makeTwoResponses: MakeConstraint = (random) => ({
  sentence: random.pick([
    'Give two different versions and put a line with six asterisks (******) between them, and nowhere else.',
    'Write exactly two different texts for this, parted by a line that holds only ******.',
  ]),
  spec: graderSpec(twoResponses, {}),
  shape: (plan) => void (plan.twice = true),
});

export const makeRepeatRequest: MakeConstraint = (random, { task }) => ({
  sentence: random.pick([
    'Before you answer, repeat the request between the arrows word for word, without the arrows, then give your answer. Say nothing before the repeated request.',
    'Begin your reply with an exact copy of the request that stands between the arrows (leave the arrows out). Your answer comes after it.',
  ]),
  spec: graderSpec(repeatRequest, { request: task.request }),
  shape: (plan) => void (plan.request = task.request),
});

export const makeConstrainedResponse: MakeConstraint = (random, { task }) => {
  const options = random.shuffle([
    `${task.placeName} should do it.`,
    `${task.placeName} should leave it.`,
    `${task.placeName} should wait.`,
  ]);
  const list = options.map((option) => `"${option}"`).join(', ');
  return {
    sentence: `Do not write the text itself: say only whether ${task.placeName} should publish such a text. Your whole reply must be one of these, without the quotation marks: ${list}.`,
    spec: graderSpec(constrainedResponse, { options }),
    shape: (plan) => void (plan.choice = options[0] ?? ''),
  };
};
