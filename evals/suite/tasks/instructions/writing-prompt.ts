/** The wording of a request for a text under rules. */
import { inventName } from '../../language/invented-word.ts';
import { capital } from '../../language/sentence.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { WritingTask } from './grade-writing.ts';
import wordings from './writing-wordings.json' with { type: 'json' };

/** How one prompt calls and lists its rules. */
export interface Labels {
  /** Such as "rule". */
  readonly one: string;
  /** Such as "rules". */
  readonly many: string;
  /** Such as "rule B", for the rule at the place 1. */
  label(at: number): string;
  /** The rule as an entry of the list. */
  entry(at: number, text: string): string;
}

export function drawLabels(random: Random): Labels {
  const { one, many, label: form, ids } = random.pick(wordings.labels);
  const mark = drawWording(random, wordings.numbered_marks);
  const idOf = (at: number) => (ids === 'letters' ? String.fromCharCode(65 + at) : String(at + 1));
  const label = (at: number) => fillIn(form, { id: idOf(at) });
  return {
    one,
    many,
    label,
    entry: (at, text) => fillIn(mark, { id: idOf(at), Label: capital(label(at)), text }),
  };
}

/** Rules that nothing refers to later, with a sentence that announces them, and what one of them is called. */
export function listRules(random: Random, texts: readonly string[]): Pick<Request, 'list' | 'one'> {
  const [only = ''] = texts;
  if (texts.length === 1) {
    return { list: fillIn(drawWording(random, wordings.one_rule), { rule: only }), one: 'rule' };
  }
  const labels = drawLabels(random);
  const { one, many } = labels;
  const announced = fillIn(drawWording(random, wordings.many_rules), { one, many });
  if (random.chance(0.15)) return { list: `${announced} ${texts.join(' ')}`, one };
  const bare = drawWording(random, wordings.bare_marks);
  const isNumbered = random.chance(0.6);
  const entries = texts.map((text, at) => (isNumbered ? labels.entry(at, text) : fillIn(bare, { text })));
  return { list: [announced, ...entries].join('\n'), one };
}

interface Request {
  /** The rules, with what announces them. */
  readonly list: string;
  /** What a rule is called, such as "condition". */
  readonly one: string;
  /** What is said about the text in the end. */
  readonly end: readonly string[];
}

/** The whole prompt. */
export function askForText(random: Random, { lineCount, names }: WritingTask, request: Request): string {
  const subject = fillIn(drawWording(random, wordings.subjects), { place: inventName(random) });
  const [a = '', b = ''] = names;
  const wanted = fillIn(drawWording(random, wordings.requests), { count: lineCount, subject });
  const mention = fillIn(drawWording(random, wordings.mentions), { a, b });
  const counting = explainCounting(random, request.one);
  const [isMentionEarly, isCountingEarly] = [random.chance(0.65), random.chance(0.25)];
  const paragraphs = [
    isMentionEarly ? [wanted, mention] : [wanted],
    isCountingEarly ? [counting] : [],
    [request.list],
    [...(isMentionEarly ? [] : [mention]), ...(isCountingEarly ? [] : [counting]), ...request.end],
  ];
  return paragraphs
    .filter((sentences) => sentences.length > 0)
    .map((sentences) => sentences.join(' '))
    .join('\n\n');
}

/** How words and letters are counted, and what counts as a text. */
function explainCounting(random: Random, one: string): string {
  return random
    .shuffle([wordings.what_a_word_is, wordings.what_a_letter_is, wordings.what_a_text_is])
    .map((texts) => fillIn(drawWording(random, texts), { one }))
    .join(' ');
}

export function askForBareText(random: Random): string {
  return drawWording(random, wordings.replies);
}
