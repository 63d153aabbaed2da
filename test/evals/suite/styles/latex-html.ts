/** LaTeX and HTML around the answer. Lines appear in LaTeX only where the box alone marks them, without escapes. */
import { escapeHtml, groupThousands, itemsOf } from './answer-forms.ts';
import { allButLine, type AnswerStyle } from './answer-style.ts';
import { writeWorking } from './working.ts';

const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>Answer</title></head>\n<body>\n${body}\n</body>\n</html>`;

export const latexHtmlStyles: readonly AnswerStyle[] = [
  { name: 'boxed', write: ({ text }) => String.raw`\boxed{${text}}` },
  {
    name: 'boxed-math',
    write: ({ text }, pick) => {
      const box = String.raw`\boxed{${text}}`;
      return pick([`$${box}$`, `$$${box}$$`, `$$\n${box}\n$$`, `\\[\n${box}\n\\]`]);
    },
  },
  {
    name: 'boxed-text',
    types: allButLine,
    write: ({ text }, pick) => `$\\boxed{\\${pick(['text', 'textbf', 'mathrm'])}{${text}}}$`,
  },
  {
    name: 'boxed-in-sentence',
    types: allButLine,
    write: ({ text }, pick) =>
      String.raw`The final answer is $\boxed{${text}}$.${pick(['', ' I hope it is correct.'])}`,
  },
  {
    name: 'boxed-thousands',
    types: ['number'],
    write: ({ text }, pick) =>
      String.raw`\(\boxed{${groupThousands(text, pick(['{,}', String.raw`\,`, ',']))}}\)`,
  },
  {
    name: 'latex-math',
    types: ['number'],
    write: ({ text }, pick) => pick([`$${text}$`, String.raw`\(${text}\)`, String.raw`\[ x = ${text} \]`]),
  },
  { name: 'html-paragraph', write: ({ text }) => `<p>${escapeHtml(text)}</p>` },
  {
    name: 'html-strong',
    write: ({ text }, pick) => {
      const tag = pick(['strong', 'b']);
      return pick([
        `<p><${tag}>Answer:</${tag}> ${escapeHtml(text)}</p>`,
        `Answer: <${tag}>${escapeHtml(text)}</${tag}>`,
      ]);
    },
  },
  { name: 'html-page', write: ({ text }) => page(`<p>Answer: <code>${escapeHtml(text)}</code></p>`) },
  {
    name: 'html-items',
    types: ['list', 'set'],
    write: (answer) => {
      const items = itemsOf(answer).map((item) => `  <li>${escapeHtml(item)}</li>`);
      const tag = answer.type === 'list' ? 'ol' : 'ul';
      return `<${tag}>\n${items.join('\n')}\n</${tag}>`;
    },
  },
  {
    name: 'html-details',
    write: (answer) =>
      `<details>\n<summary>Working</summary>\n\n${writeWorking(answer).join('\n')}\n\n</details>\n\nAnswer: ${answer.text}`,
  },
];
