/** Answers the tasks of the category calibration from their prompts, by turning sentences back into facts. */
import type { Theme } from '#evals/suite/tasks/calibration/themes.ts';
import { themes } from '#evals/suite/tasks/calibration/themes.ts';

const mark = 424_242;
const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A pattern from a sentence about `Xxx` and `Yyy`, and perhaps the number `mark`. */
function pattern(sentence: string): RegExp {
  const name = String.raw`(\p{Lu}\p{Ll}+)`;
  const source = escape(sentence)
    .replaceAll('Xxx', name)
    .replaceAll('Yyy', name)
    .replace(String(mark), String.raw`(\d+)`);
  return new RegExp(`^${source}$`, 'iu');
}

type Statement = {
  readonly relation: string;
  readonly first: string;
  readonly second: string;
  readonly isTakenBack: boolean;
};

export function answerDossier(prompt: string): string[] {
  const theme = themes.find(({ heading }) => prompt.includes(heading));
  if (theme === undefined) throw new Error('No theme fits.');
  const [text = '', questions = ''] = prompt.split(
    /\n\n(?:Questions:|Answer these questions from the text:)\n\n/,
  );
  const sentences = text
    .split('\n\n')
    .slice(1)
    .flatMap((paragraph) => paragraph.split(/(?<=\.) /));
  const statements = sentences.flatMap((sentence) => readSentence(theme, sentence.replace(/\.$/, '')));
  const lines = (questions.split('\n\n')[0] ?? '').split('\n').map((line) => line.replace(/^\d+\. /, ''));
  return lines.map((line) => answer(theme, statements, line));
}

function readSentence(theme: Theme, sentence: string): Statement[] {
  const corrected =
    /^An earlier edition of this dossier said that (.*); that was a mistake, and in fact (.*)$/.exec(
      sentence,
    );
  if (corrected !== null) {
    const [, wrong = '', right = ''] = corrected;
    return [
      ...readSentence(theme, wrong).map((one) => ({ ...one, isTakenBack: true })),
      ...readSentence(theme, right),
    ];
  }
  const entity = theme.entity('Xxx');
  const sorts: [string, readonly string[]][] = [
    ...theme.numbers.map(({ text }, index): [string, string[]] => [
      `number ${index}`,
      text.map((say) => say(entity, mark)),
    ]),
    ['near', theme.numbers.flatMap(({ near }) => near.map((say) => say(entity, mark)))],
    ['head', theme.head.map((say) => say(entity, 'Yyy'))],
    ['helper', theme.helper.map((say) => say(entity, 'Yyy'))],
    ['follows', theme.follows.map((say) => say(entity, theme.entity('Yyy')))],
  ];
  for (const [relation, forms] of sorts) {
    for (const form of forms) {
      const match = pattern(form).exec(sentence);
      if (match === null) continue;
      const isSwapped = form.includes('Yyy') && form.indexOf('Yyy') < form.indexOf('Xxx');
      const isNumberFirst = form.includes(String(mark)) && form.indexOf(String(mark)) < form.indexOf('Xxx');
      const [, one = '', two = ''] = match;
      const [first, second] = isSwapped || isNumberFirst ? [two, one] : [one, two];
      return [{ relation, first, second, isTakenBack: false }];
    }
  }
  throw new Error(`Not a statement: ${sentence}`);
}

/** What the statements say about one relation; more than one value is a contradiction, none a gap. */
function valuesOf(statements: readonly Statement[], relation: string, first: string): string[] {
  const said = statements.filter(
    (one) => !one.isTakenBack && one.relation === relation && one.first === first,
  );
  return [...new Set(said.map(({ second }) => second))];
}

function answer(theme: Theme, statements: readonly Statement[], question: string): string {
  for (const [index, number] of theme.numbers.entries()) {
    const single = new RegExp(`^${escape(number.question('XXX')).replace('XXX', '(.*)')}$`).exec(question);
    const double = new RegExp(
      `^${escape(number.together('XXX', 'YYY')).replace('XXX', '(.*)').replace('YYY', '(.*)')}$`,
    ).exec(question);
    const subjects = (double ?? single)?.slice(1);
    if (subjects === undefined) continue;
    const numbers = subjects.map((subject) => {
      const entities = resolve(theme, statements, subject);
      const values = entities.flatMap((entity) => valuesOf(statements, `number ${index}`, entity));
      return entities.length === 1 && values.length === 1 ? Number(values[0]) : Number.NaN;
    });
    const sum = numbers.reduce((total, value) => total + value, 0);
    return Number.isNaN(sum) ? 'unknown' : String(sum);
  }
  throw new Error(`Not a question: ${question}`);
}

/** The entities that a phrase may mean. */
function resolve(theme: Theme, statements: readonly Statement[], phrase: string): string[] {
  const follow = new RegExp(`^${escape(theme.followedBy('XXX')).replace('XXX', '(.*)')}$`).exec(phrase);
  if (follow?.[1] !== undefined) {
    return resolve(theme, statements, follow[1]).flatMap((entity) => valuesOf(statements, 'follows', entity));
  }
  const headed = new RegExp(`^${escape(theme.headedBy('XXX')).replace('XXX', '(.*)')}$`).exec(phrase);
  if (headed?.[1] !== undefined) {
    const said = statements.filter(({ relation, second }) => relation === 'head' && second === headed[1]);
    return [...new Set(said.map(({ first }) => first))];
  }
  const name = pattern(theme.entity('Xxx')).exec(phrase)?.[1];
  if (name === undefined) throw new Error(`Not an entity: ${phrase}`);
  return [capital(name)];
}
