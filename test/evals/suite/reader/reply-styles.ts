/**
 * Styles for the development of the reader. `test/evals/suite/styles/` holds those of somebody who has not seen
 * it.
 */
import type { DrawnAnswer, ReplyStyle } from './styled-answer.ts';

const itemsOf = ({ value }: DrawnAnswer) => (typeof value === 'object' ? value : [String(value)]);
const style = (name: string, write: ReplyStyle['write'], types?: ReplyStyle['types']): ReplyStyle =>
  types === undefined ? { name, write } : { name, write, types };
const text = (name: string, template: string, types?: ReplyStyle['types']) =>
  style(name, (answer) => template.replaceAll('§', () => answer.text), types);
const many = ['list', 'set'] as const;
const scalar = ['number', 'word', 'date', 'time', 'digits'] as const;

const thought = 'First I look at what is given. Perhaps it is 12, or maybe blue? No, wait. Let me redo that.';

export const replyStyles: readonly ReplyStyle[] = [
  text('bare', '§'),
  text('full stop', '§.'),
  text('padded', '\n\n  §  \n'),
  text('label', 'Answer: §'),
  text('bold label', '**Answer:** §'),
  text('bold both', '**Answer:** **§**'),
  text('bold all', '**Answer: §**'),
  text('bold label without colon', '**Answer**: §'),
  text('final label', 'Final answer: §'),
  text('my final label', 'My final answer is: §'),
  text('heading', '## Answer\n\n§'),
  text('heading final', '### Final Answer\n§\n'),
  text('heading bold', '## **Answer:**\n\n**§**'),
  text('dash label', 'Answer - §'),
  text('arrow label', 'Answer → §'),
  text('equals label', 'answer = §'),
  text('label in capitals', 'ANSWER: §'),
  text('label next line', 'Answer:\n§'),
  text('label fence', 'Answer:\n```\n§\n```'),
  text('fence', '```\n§\n```'),
  text('fence text', '```text\n§\n```\n'),
  text('intro fence', 'Here is the answer:\n\n```\n§\n```\n\nLet me know if you need anything else!'),
  text('inline code', '`§`'),
  text('quotes', '"§"'),
  text('curly quotes', '“§”'),
  text('bold', '**§**'),
  text('italic', '*§*'),
  text('boxed', '$\\boxed{§}$'),
  text('boxed text', 'So we get\n\n\\[\n\\boxed{\\text{§}}\n\\]', [
    'word',
    'line',
    'date',
    'time',
    'digits',
    'number',
    ...many,
  ]),
  text('reasoned boxed', 'Adding it all up step by step.\n\nTherefore, the final answer is $\\boxed{§}$.'),
  text('xml', '<answer>§</answer>'),
  text('xml block', '<reasoning>Two and two.</reasoning>\n<answer>\n§\n</answer>'),
  text('think', `<think>${thought}</think>\n\n§`),
  text('thinking', `<thinking>\n${thought}\nAnswer: 99\n</thinking>\nAnswer: §`),
  text('lone close', `${thought}\n</think>\n\n**§**`),
  text(
    'harmony',
    `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>final<|message|>§<|return|>`,
  ),
  text('sentence', 'The answer is §.'),
  text('sentence bold', 'The final answer is **§**.'),
  text('sentence colon', 'The correct answer is: §'),
  text(
    'therefore',
    'Let me work through this step by step.\n\n1. I read the rules.\n2. I applied each of them.\n\nTherefore, the answer is §.',
  ),
  text('it is', "It's §.", scalar),
  text('so', 'So, §', scalar),
  text('result', 'Result: §'),
  text('hope', '§\n\nHope this helps!'),
  text('sure', 'Sure! Here is the answer:\n\n§\n\nLet me know if you have questions.'),
  text('certainly same line', 'Certainly! The answer is §. Feel free to ask for more.'),
  text('emoji', '✅ §'),
  text('emoji end', '§ 🎉'),
  text('emoji label', '🎯 **Answer:** §'),
  text('note', '§ (as worked out above)'),
  text('verified', '§ (verified)'),
  text('because', '§, because that is how the rules work out.', scalar),
  text('dash reason', '§ — this follows from the rules given.', scalar),
  text(
    'explanation after',
    '§\n\nExplanation: I applied the rules one after the other and checked each step.',
  ),
  text(
    'label explanation',
    'Answer: §\n\nExplanation:\n- I read the text.\n- I applied the rules one by one.',
  ),
  text('bullet', '- §', ['word', 'date', 'time', 'digits', 'line', ...many]),
  text('quote block', '> §'),
  text('json', '{"answer": "§"}'),
  style('json value', ({ value }) => JSON.stringify({ answer: value })),
  style(
    'json fenced',
    ({ value }) =>
      `\`\`\`json\n${JSON.stringify({ reasoning: 'Two and two.', answer: value }, null, 2)}\n\`\`\``,
  ),
  text('yaml', 'answer: "§"'),
  text('html', '<p>The answer is <strong>§</strong>.</p>'),
  text('table', '| Answer |\n|---|\n| § |'),
  text('crlf', 'I looked.\r\n\r\nAnswer: §\r\n'),
  text('no-break spaces', 'Answer:\u00a0§'),
  text('full-width colon', 'Answer：§'),
  text('zero-width', '\u200bAnswer: §\ufeff'),
  text('is the answer', '§ is the answer.', scalar),
  text('draft then final', "Answer: tovun\n\nWait, that's wrong: I missed a rule.\n\nAnswer: §"),
  text('here you go', 'Here you go: §'),
  text('tl;dr', 'TL;DR: §'),
  text('german', 'Antwort: §'),
  text('chinese', '答案：§'),
  text('latex text', '$\\text{§}$'),
  text('step label', 'Step 1: read the rules.\nStep 2: apply them.\nAnswer: §'),
  text('rule', 'Some work on the rules first.\n\n---\n\n**Final Answer:** §\n\n---'),
  text('answer to', 'Answer to your question: §'),
  text('label in order', 'Answer (in the form asked for): §'),
  text('signed', '§\n\n— Agent Seven'),
  style('json list', (answer) => JSON.stringify(itemsOf(answer)), many),
  style(
    'bullets',
    (answer) =>
      itemsOf(answer)
        .map((item) => `- ${item}`)
        .join('\n'),
    many,
  ),
  style(
    'numbered',
    (answer) =>
      `Here is the list:\n\n${itemsOf(answer)
        .map((item, place) => `${place + 1}. ${item}`)
        .join('\n')}\n\nLet me know if you need more.`,
    many,
  ),
  style(
    'numbered bold',
    (answer) =>
      itemsOf(answer)
        .map((item, place) => `${place + 1}. **${item}**`)
        .join('\n'),
    many,
  ),
  style('per line', (answer) => itemsOf(answer).join('\n'), many),
  style('arrows', (answer) => itemsOf(answer).join(' → '), many),
  style('ascii arrows', (answer) => itemsOf(answer).join(' -> '), many),
  style(
    'and',
    (answer) =>
      itemsOf(answer)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1'),
    many,
  ),
  style(
    'oxford',
    (answer) =>
      itemsOf(answer)
        .join(', ')
        .replace(/, ([^,]*)$/, ', and $1'),
    many,
  ),
  style('semicolons', (answer) => itemsOf(answer).join('; '), many),
  style('hyphens', (answer) => itemsOf(answer).join(' - '), many),
  style('en dashes', (answer) => `Answer: ${itemsOf(answer).join(' – ')}`, many),
  style('em dashes', (answer) => `**Answer:** ${itemsOf(answer).join(' — ')}`, many),
  style(
    'quoted items',
    (answer) =>
      itemsOf(answer)
        .map((item) => `"${item}"`)
        .join(', '),
    many,
  ),
  style(
    'bold items',
    (answer) =>
      `Answer: ${itemsOf(answer)
        .map((item) => `**${item}**`)
        .join(', ')}`,
    many,
  ),
  style('set braces', (answer) => `{${itemsOf(answer).join(', ')}}`, many),
  style(
    'html list',
    (answer) =>
      `<ul>${itemsOf(answer)
        .map((item) => `<li>${item}</li>`)
        .join('')}</ul>`,
    many,
  ),
  style(
    'inline numbers',
    (answer) =>
      itemsOf(answer)
        .map((item, place) => `${place + 1}) ${item}`)
        .join(' '),
    many,
  ),
  style(
    'table rows',
    (answer) =>
      `| # | Item |\n|---|---|\n${itemsOf(answer)
        .map((item, place) => `| ${place + 1} | ${item} |`)
        .join('\n')}`,
    many,
  ),
  style('grouped', (answer) => Number(answer.value).toLocaleString('en-US'), ['number']),
  style('decimal zeros', (answer) => `${answer.text}.00`, ['number']),
  style(
    'twelve-hour',
    ({ text: time }) => {
      const [hour = 0, minute = 0] = time.split(':').map(Number);
      return `The answer is ${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'p.m.'}`;
    },
    ['time'],
  ),
  style(
    'long date',
    ({ text: date }) =>
      new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' }),
    ['date'],
  ),
  style(
    'british date',
    ({ text: date }) =>
      new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    ['date'],
  ),
];
