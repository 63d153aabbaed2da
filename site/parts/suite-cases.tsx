/** Cases and drafts of a suite. */
import type { SampleReply, SuiteCase } from '#evals/own-suite/document.ts';
import { textOfMessage } from '#evals/own-suite/messages.ts';
import type { ShownDraft } from '#domain/suites/drafts.ts';
import { useView } from '../view.ts';
import { Day } from './dates.tsx';
import { Field } from './field.tsx';
import { ConfirmedForm, Form } from './form.tsx';
import { Graders, graderText } from './graders.tsx';
import { Link } from './link.tsx';
import { count } from './numbers.ts';
import { cut, Lost } from './suite-run/cases.tsx';

export const casesShownMax = 40;
const promptShownMax = 600;
const choiceMax = 120;

export function OneCase({
  title,
  given,
}: {
  readonly title: string | null;
  readonly given: SuiteCase | undefined;
}) {
  if (given === undefined) return null;
  const { expect, lost = [] } = given;
  return (
    <>
      {title === null ? null : <p class="soft small">{title}</p>}
      <Conversation given={given} />
      <Graders specs={expect} />
      <Lost assertions={lost} />
    </>
  );
}

function Conversation({ given: { prompt, messages = [], turns = [] } }: { readonly given: SuiteCase }) {
  const said = [...messages, ...turns.map((content) => ({ role: 'user', content }) as const)];
  return (
    <pre tabIndex={0} dir="auto">
      {cut(prompt ?? said.map(textOfMessage).join('\n\n'), promptShownMax)}
    </pre>
  );
}

function replyText(reply: SampleReply | undefined): string {
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
  return cut(text ?? '', promptShownMax);
}

/** Conversations that the owner may publish as cases. */
export function Drafts({ drafts }: { readonly drafts: readonly ShownDraft[] }) {
  const { path } = useView();
  if (drafts.length === 0) return null;
  return (
    <section>
      <h2 class="spaced">{count(drafts.length, 'draft')}</h2>
      <p class="soft">
        Conversations as they happened. Taken in, a draft is a case of the next version. Only you see them.
      </p>
      {drafts.slice(0, casesShownMax).map(({ id, verdict, case: draft, proposed, createdAt }) => (
        <details key={id} class="case">
          <summary>
            <code>{draft.id}</code> <span class="chip">{verdict}</span>{' '}
            <span class="soft small">
              <Day at={createdAt} />
            </span>
          </summary>
          <Conversation given={draft} />
          <p class="soft small">The reply, {verdict}</p>
          <pre tabIndex={0} dir="auto">
            {replyText(draft[verdict]?.[0])}
          </pre>
          {proposed.length === 0 ? (
            <p class="soft">No grader is proposed for this reply.</p>
          ) : (
            <Form name="take-in" submit="Take in" about={draft.id} hidden={{ id }}>
              <Field
                name="grader"
                label="Replies must be"
                choices={proposed.map((spec, at) => [String(at), cut(graderText(spec), choiceMax)])}
              />
              <Field name="title" label="Title" rule="Shown in reports." optional />
            </Form>
          )}
          <p>
            <Link to={`${path}/edit?draft=${id}`}>
              {proposed.length === 0 ? 'Write a grader' : 'Write another grader'} for {draft.id}
            </Link>
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
