/** `/evaluation/guide`: what a score means and how certain it is, from `docs/evaluation.md`. */
import markdownIt from 'markdown-it';
import { readFileSync } from 'node:fs';
import { page } from '../page.ts';
import { Back } from '../parts/link.tsx';
import { pageRules } from '../parts/markdown.ts';
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
        <Back to="/evaluation">Evaluation</Back>
        <DocumentText text={guide} />
      </article>
    ),
  }),
});

const markdown = markdownIt({ html: false, linkify: false, breaks: false, typographer: false });
Object.assign(markdown.renderer.rules, pageRules);
/** Other documents are not pages of the site, so links to them stay text. */
const linkToDocument = /\[([^\]]+)\]\((?!https?:)[^)]*\)/g;
/** Wide tables scroll, as code does. */
markdown.renderer.rules.table_open = () => '<table tabindex="0">\n';
/** Other pages link to sections, such as `#agent-runs`. */
markdown.renderer.rules.heading_open = (tokens, index) => {
  const words = tokens[index + 1]?.content.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `<${tokens[index]?.tag ?? 'h2'} id="${words.join('-')}">`;
};

/** A document of the project as part of a page: trusted Markdown, with its headings in the outline of the page. */
function DocumentText({ text }: { readonly text: string }) {
  const html = markdown.render(text.replaceAll(linkToDocument, '$1'));
  // The parser escapes everything that is not its own markup.
  return <div class="text document" dangerouslySetInnerHTML={{ __html: html }} />;
}
