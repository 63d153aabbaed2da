/** `/evaluation/guide`: what a score means and how certain it is, from `docs/evaluation.md`. */
import { readFileSync } from 'node:fs';
import { page } from '../page.ts';
import { DocumentText } from '../parts/document-text.tsx';
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
