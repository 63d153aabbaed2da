/**
 * Fill in a template in a small language that the prompt explains: placeholders, filters, conditions, a loop.
 */
import { graderSpec } from '../../graders/grader.ts';
import { exactLines } from './graders/exact-lines.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { inventName, inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

/** The values of the template's names. */
interface TemplateData {
  readonly key: string;
  readonly name: string;
  readonly listKey: string;
  readonly items: readonly string[];
  readonly shown: string;
  readonly hidden: string;
  readonly amount: number;
  readonly person: string;
  readonly year: number;
}

interface Part {
  readonly template: readonly string[];
  readonly output: readonly string[];
}

export function makeTemplate(random: Random, difficulty: Difficulty): CaseDraft {
  const data = makeData(random, difficulty);
  const parts = [
    {
      template: [`Report {{${data.key}|upper}}/{{year}}`],
      output: [`Report ${data.name.toUpperCase()}/${data.year}`],
    },
    ...random.shuffle(makeParts(data, difficulty)),
  ];
  const values = random.shuffle([
    `${data.key} = ${data.name}`,
    `year = ${data.year}`,
    `person = ${data.person}`,
    `amount = ${data.amount}`,
    `${data.listKey} = ${data.items.join(', ')}`,
    `${data.shown} = true`,
    `${data.hidden} = false`,
  ]);
  const rules = templateRules(difficulty).map((rule) => `- ${rule}`);
  const template = parts.flatMap((part) => part.template);
  const expected = parts.flatMap((part) => part.output);
  return {
    kind: 'template',
    difficulty,
    prompt: `Fill in the template by these rules:\n${rules.join('\n')}\n\nData:\n${values.join('\n')}\n\nTemplate:\n${template.join('\n')}\n\nReply with the filled-in text alone, line by line: no code fence, no blank lines and no other text.`,
    graders: [graderSpec(exactLines, { expected })],
    scoring: 'weighted',
    expected: expected.join('\n'),
  };
}

function makeData(random: Random, difficulty: Difficulty): TemplateData {
  const [key = '', listKey = '', shown = '', hidden = ''] = inventWords(random, 4, 2);
  return {
    key,
    listKey,
    shown,
    hidden,
    name: inventName(random),
    items: inventWords(random, byDifficulty(difficulty, 3, 4, 6)),
    amount: random.int(110, 990),
    person: inventName(random),
    year: random.int(2_031, 2_089),
  };
}

function makeParts(data: TemplateData, difficulty: Difficulty): Part[] {
  const { key, name, listKey, items, shown, hidden, amount, person } = data;
  const loop: Part = {
    template: [`{{#${listKey}}}`, `* {{item}} of {{${key}}}`, `{{/${listKey}}}`],
    output: items.map((item) => `* ${item} of ${name}`),
  };
  const kept: Part = {
    template: [`{{?${shown}}}`, 'Checked by {{person}}.', `{{/${shown}}}`],
    output: [`Checked by ${person}.`],
  };
  const left: Part = { template: [`{{?${hidden}}}`, 'Refused by {{person}}.', `{{/${hidden}}}`], output: [] };
  const plainAmount: Part = { template: ['Amount: {{amount}} marks'], output: [`Amount: ${amount} marks`] };
  const reversedAmount: Part = {
    template: ['Amount: {{amount|reverse}} marks'],
    output: [`Amount: ${Array.from(String(amount)).toReversed().join('')} marks`],
  };
  const escaped: Part = {
    template: [`{{person|upper}} wrote \\{{person}} here`],
    output: [`${person.toUpperCase()} wrote {{person}} here`],
  };
  return [
    loop,
    kept,
    left,
    ...byDifficulty<Part[]>(difficulty, [], [plainAmount], [reversedAmount, escaped]),
  ];
}

function templateRules(difficulty: Difficulty): string[] {
  const forHard = [
    '{{name|reverse}} is replaced by the value written backwards.',
    'A backslash before {{name}} means that the braces and the name stay as they are and only the backslash goes.',
  ];
  return [
    '{{name}} is replaced by the value of that name.',
    '{{name|upper}} is replaced by the value in capital letters.',
    ...byDifficulty<string[]>(difficulty, [], [], forHard),
    'Lines between {{#name}} and {{/name}} are written once for each item of the list of that name; {{item}} is the item.',
    'Lines between {{?name}} and {{/name}} are kept if the value of that name is true and left out if it is false.',
    'The lines that hold {{#name}}, {{?name}} or {{/name}} themselves never appear.',
  ];
}
