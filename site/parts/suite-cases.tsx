/** Cases and drafts of a suite. */
import type { SuiteCase } from '#evals/own-suite/document.ts';
import type { ShownDraft } from '#domain/suites/drafts.ts';
import { useView } from '../view.ts';
import { Day } from './dates.tsx';
import { ConfirmedForm } from './form.tsx';
import { Graders } from './graders.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';
import { Lost } from './suite-run/cases.tsx';

export const casesShownMax = 40;
const promptShownMax = 600;

export function OneCase({
  title,
  given,
}: {
  readonly title: string | null;
  readonly given: SuiteCase | undefined;
}) {
  if (given === undefined) return null;
  const { prompt, messages = [], turns = [], expect, lost = [] } = given;
  const said = messages.map(({ role, content }) => `${role}: ${content}`);
  const asked = prompt ?? [...said, ...turns.map((content) => `user: ${content}`)].join('\n');
  return (
    <>
      {title === null ? null : <p class="soft small">{title}</p>}
      <pre tabIndex={0} dir="auto">
        {asked.length > promptShownMax ? `${asked.slice(0, promptShownMax).toWellFormed()}…` : asked}
      </pre>
      <Graders specs={expect} />
      <Lost assertions={lost} />
    </>
  );
}

/** Conversations that the owner may publish as cases. */
export function Drafts({ drafts }: { readonly drafts: readonly ShownDraft[] }) {
  const { path } = useView();
  if (drafts.length === 0) return null;
  return (
    <section>
      <h2 class="spaced">{count(drafts.length, 'draft')}</h2>
      <p class="soft">Conversations as they happened, with a proposed grader. Only you see them.</p>
      {drafts.slice(0, casesShownMax).map(({ id, verdict, case: draft, createdAt }) => (
        <details key={id} class="case">
          <summary>
            <code>{draft.id}</code> <span class="chip">{verdict}</span>{' '}
            <span class="soft small">
              <Day at={createdAt} />
            </span>
          </summary>
          <OneCase title={null} given={draft} />
          <p class="soft small">The reply</p>
          <pre tabIndex={0} dir="auto">
            {JSON.stringify(draft[verdict]?.[0]).slice(0, promptShownMax).toWellFormed()}
          </pre>
          <p>
            <Link to={`${path}/edit?draft=${id}`}>Take in {draft.id}</Link>
          </p>
          <ConfirmedForm
            title="Delete"
            warning="The conversation is deleted. This cannot be undone."
            name="delete-draft"
            submit="Delete the draft"
            about={draft.id}
            hidden={{ id }}
          />
        </details>
      ))}
      {drafts.length <= casesShownMax ? null : (
        <p class="soft small">
          And {count(drafts.length - casesShownMax, 'more draft')}, which the API returns.
        </p>
      )}
    </section>
  );
}
