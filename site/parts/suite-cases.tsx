/** Cases and drafts of a suite. */
import type { SampleReply, SentCase, SuiteCase } from '#evals/own-suite/document.ts';
import { describeImage, type PlacedImage, placedOf } from '#evals/own-suite/images.ts';
import { textOfMessage } from '#evals/own-suite/messages.ts';
import { casesAsYaml, type ShownDraft } from '#domain/suites/drafts.ts';
import { useView } from '../view.ts';
import { Day } from './dates.tsx';
import { Field } from './field.tsx';
import { ConfirmedForm, Form } from './form.tsx';
import { Graders, graderText } from './graders.tsx';
import { Link } from './link.tsx';
import { More } from './lists.tsx';
import { count } from './numbers.ts';
import { cut, Lost } from './suite-run/cases.tsx';

export const casesShownMax = 40;
const promptShownMax = 600;
const choiceMax = 120;

export function OneCase({
  title,
  given,
  imagesAt,
}: {
  readonly title: string | null;
  readonly given: SuiteCase | undefined;
  /** The page of the suite. */
  readonly imagesAt: string;
}) {
  if (given === undefined) return null;
  const { expect, lost = [] } = given;
  return (
    <>
      {title === null ? null : <p class="soft small">{title}</p>}
      <Conversation given={given} imagesAt={imagesAt} />
      <Graders specs={expect} />
      <Lost assertions={lost} />
      <AsYaml given={given} />
    </>
  );
}

/** For the file of a suite. Images are kept beside the case, so a case that has some is read over the API. */
function AsYaml({ given }: { readonly given: SuiteCase }) {
  if (given.messages?.some(({ images = [] }) => images.length > 0)) return null;
  return (
    <details>
      <summary class="soft small">As YAML</summary>
      <pre tabIndex={0} dir="auto">
        {casesAsYaml([given])}
      </pre>
    </details>
  );
}

function Conversation({
  given: { prompt, messages = [], turns = [] },
  imagesAt,
}: {
  readonly given: SuiteCase | SentCase;
  /** The page of the suite that has the images; by default, they are only named. */
  readonly imagesAt?: string;
}) {
  const said = [...messages, ...turns.map((content) => ({ role: 'user', content }) as const)];
  const images = messages
    .flatMap((message): readonly (PlacedImage | string)[] => message.images ?? [])
    .map((image) => (typeof image === 'string' ? placedOf(image) : image));
  return (
    <>
      <pre tabIndex={0} dir="auto">
        {cut(prompt ?? said.map(textOfMessage).join('\n\n'), promptShownMax)}
      </pre>
      {images.map((image) => (
        <figure key={image.sha256} class="thumbnail">
          {imagesAt === undefined ? null : (
            <img src={`${imagesAt}/images/${image.sha256}`} alt="" loading="lazy" />
          )}
          <figcaption class="soft small" dir="auto">
            {describeImage(image)}
          </figcaption>
        </figure>
      ))}
    </>
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
        <details key={id}>
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
      <More of={drafts} shown={casesShownMax} one="more draft" />
    </section>
  );
}
