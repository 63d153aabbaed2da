/** `/evaluation/guide`: what a score means and how certain it is, from `docs/evaluation.md`. */
import markdownIt from 'markdown-it';
import { readFileSync } from 'node:fs';
import { page } from '../page.ts';
import { Link } from '../parts/link.tsx';
import { guideFile } from '../site-files.ts';

const guide = readFileSync(guideFile, 'utf8');

export const evaluationGuide = page({
  path: '/evaluation/guide',
  access: 'public',
  load: () => Promise.resolve(null),
  show: () => ({
    title: 'What a score means',
    description:
      'What an evaluation run measures, what its score means and what cannot be concluded from it.',
    body: (
      <article class="narrow">
        <p class="back">
          <Link to="/evaluation">← Evaluation</Link>
        </p>
        <DocumentText text={guide} />
      </article>
    ),
  }),
});

const markdown = markdownIt({ html: false, linkify: false, breaks: false, typographer: false });
/** Other documents are not pages of the site, so links to them stay text. */
const linkToDocument = /\[([^\]]+)\]\((?!https?:)[^)]*\)/g;
/** Wide tables and code scroll; `tabindex` lets people without a mouse scroll them too. */
markdown.renderer.rules.table_open = () => '<table tabindex="0">\n';
markdown.renderer.rules.fence = (tokens, index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`;
/** Other pages link to sections, such as `#agent-runs`. */
markdown.renderer.rules.heading_open = (tokens, index) => {
  const words = tokens[index + 1]?.content.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `<${tokens[index]?.tag ?? 'h2'} id="${words.join('-')}">`;
};
const alignment = /text-align:(right|center)/;
for (const rule of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[rule] = (tokens, index) => {
    const [, side] = alignment.exec(String(tokens[index]?.attrGet('style') ?? '')) ?? [];
    const tag = rule === 'th_open' ? 'th' : 'td';
    // The page's Content-Security-Policy forbids style attributes.
    return side === undefined ? `<${tag}>` : `<${tag} class="${side}">`;
  };
}

/** A document of the project as part of a page: trusted Markdown, with its headings in the outline of the page. */
function DocumentText({ text }: { readonly text: string }) {
  const html = markdown.render(text.replaceAll(linkToDocument, '$1'));
  // The parser escapes everything that is not its own markup.
  return <div class="text document" dangerouslySetInnerHTML={{ __html: html }} />;
}
