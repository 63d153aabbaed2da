/**
 * Forms. They work without JavaScript: a rejected form is shown again with the visitor's input and the message, at the
 * top of the page and at its field.
 */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type RefusedForm, useView } from '../view.ts';
import { controlValue } from '../visible-text.ts';
import { Link } from './link.tsx';
import { addressOf } from './lists.tsx';

/** The hidden field that says which form of the page was sent. */
export const formNameField = '_form';

/** The hidden field with the handle of the agent that the page was made for. */
export const formAgentField = '_agent';

/** The hidden field with the idempotency key of the form: neither a second click nor a reload has a second effect. */
export const formKeyField = '_key';

/** The hidden fields that name the text fields of a form. */
export const typedField = '_typed';

/** The id of the place in a refused form to which the message at the top of the page leads. */
export const refusedFormId = 'refused-form';

/** The field with the text of a document, for endpoints whose body is one. */
export const documentField = 'document';

interface FormProps {
  /** The name in the page's `forms`. */
  readonly name: string;
  /** The label of the button. */
  readonly submit: string;
  /** Values that the visitor does not see, such as the id of the subject. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly tone?: 'plain' | 'danger';
  /** A form with only a button, in a line with others. */
  readonly inline?: boolean;
  /** The subject of the button, for screen readers. */
  readonly about?: string;
  readonly children?: ComponentChildren;
}

const none: Readonly<Record<string, string>> = {};

/** The data about a form for its fields. */
export const FormContext = createContext<{ readonly id: string; readonly refused: RefusedForm | null }>({
  id: '',
  refused: null,
});

export function Form({ submit, tone, about, children, ...frame }: FormProps) {
  const small = frame.inline === true ? ' small' : '';
  return (
    <FormFrame {...frame}>
      {children}
      <button
        type="submit"
        class={`${tone ?? ''}${small}`.trim() || undefined}
        aria-label={about === undefined ? undefined : `${submit} ${about}`}
      >
        {submit}
      </button>
    </FormFrame>
  );
}

interface DecisionFormProps extends Pick<FormProps, 'name' | 'hidden'> {
  /** The values of the field `decision`, each with the verb on its button. None of them is chosen in advance. */
  readonly verbs: readonly (readonly [decision: string, verb: string])[];
  /** The subject of the buttons, for screen readers. */
  readonly about: string;
  /** The agents that it concerns: none of them decides. */
  readonly parties: readonly (string | undefined)[];
  /** What the decision can be sent with, such as a note. */
  readonly children?: ComponentChildren;
}

/** A decision in one step: a button for each. */
export function DecisionForm({ verbs, about, parties, children, ...frame }: DecisionFormProps) {
  const { viewer } = useView();
  if (parties.includes(viewer?.handle)) return <p class="soft small">Another maintainer decides on it.</p>;
  return (
    <div class="decisions">
      <FormFrame {...frame} inline>
        {children === undefined ? null : <Fold title="Add a note">{children}</Fold>}
        {verbs.map(([decision, verb]) => (
          <button
            key={decision}
            type="submit"
            name="decision"
            value={decision}
            class="plain small"
            aria-label={`${verb} ${about}`}
          >
            {verb}
          </button>
        ))}
      </FormFrame>
    </div>
  );
}

type FormFrameProps = Pick<FormProps, 'name' | 'hidden' | 'inline' | 'children'>;

function FormFrame({ name, hidden = none, inline = false, children }: FormFrameProps) {
  const { path, query } = useView();
  const mine = useRefusal(name, hidden);
  // Other attributes list ids with spaces in between.
  const id = [name, ...Object.values(hidden)].join('-').replaceAll(/\s/g, '_');
  return (
    <FormContext.Provider value={{ id, refused: mine }}>
      <form
        class={inline ? 'inline' : 'stack'}
        method="post"
        action={addressOf(path, query)}
        id={`form-${id}`}
      >
        <HiddenFields values={{ [formNameField]: name, ...hidden }} />
        {mine === null ? null : <span id={refusedFormId} />}
        {children}
      </form>
    </FormContext.Provider>
  );
}

interface HiddenFieldsProps {
  readonly values?: Readonly<Record<string, string>>;
}

/** Pages for visitors without a session are cached, so they have no keys. */
export function HiddenFields({ values = none }: HiddenFieldsProps) {
  const { viewer } = useView();
  const own =
    viewer === null ? none : { [formAgentField]: viewer.handle, [formKeyField]: crypto.randomUUID() };
  return (
    <>
      {Object.entries({ ...own, ...values }).map(([key, value]) => (
        // Firefox keeps the values of hidden fields when a page is reloaded.
        <input key={key} type="hidden" name={key} value={controlValue(value)} autoComplete="off" />
      ))}
    </>
  );
}

/** A collapsed part of a form. It is open if the form was rejected, so that no message is hidden. */
export function Fold({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const { refused } = useContext(FormContext);
  return (
    <details open={refused !== null}>
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}

interface FoldedFormProps extends FormProps {
  /** The text that opens it. */
  readonly title: string;
  /** The subject of the title, for screen readers. */
  readonly titleAbout?: string;
  readonly class?: string;
  /** Above the form. */
  readonly intro?: ComponentChildren;
}

/** A collapsed form. A rejected one is open. */
export function FoldedForm({ title, titleAbout, class: className, intro, ...form }: FoldedFormProps) {
  const refusal = useRefusal(form.name, form.hidden ?? none);
  const label = titleAbout === undefined ? undefined : `${title} ${titleAbout}`;
  return (
    <details class={className} open={refusal !== null}>
      <summary aria-label={label}>{title}</summary>
      {intro}
      <Form {...form} />
    </details>
  );
}

interface ConfirmedFormProps extends Omit<FormProps, 'tone' | 'inline'> {
  /** The first button. It only shows the warning and the second button, which sends the form. */
  readonly title: string;
  /** What will happen. */
  readonly warning: string;
}

/** For actions that cannot be undone: they take two clicks. */
export function ConfirmedForm({ warning, ...form }: ConfirmedFormProps) {
  return (
    <FoldedForm
      {...form}
      {...(form.about === undefined ? {} : { titleAbout: form.about })}
      class="confirmed"
      intro={<p class="small">{warning}</p>}
      tone="danger"
      inline
    />
  );
}

/** A collapsed form for signed-in agents. Others see how to sign in. */
export function OwnForm(form: FoldedFormProps) {
  const { viewer } = useView();
  const { title } = form;
  if (viewer === null) return <SignInHint to={title.charAt(0).toLowerCase() + title.slice(1)} />;
  return <FoldedForm {...form} class="card own" />;
}

/** The rejection of the form with this name and these hidden values; null if it was not rejected. */
function useRefusal(name: string, hidden: Readonly<Record<string, string>>): RefusedForm | null {
  const { refused } = useView();
  const isThis =
    refused?.name === name && Object.entries(hidden).every(([key, value]) => refused.values[key] === value);
  return isThis ? refused : null;
}

/** Messages are also written for programs, with field names in backticks. */
export function plain(message: string): string {
  return message.replaceAll('`', '');
}

/**
 * Tells visitors who are not signed in what they could do.
 * @param to what signing in allows, such as `reply`
 */
export function SignInHint({ to }: { readonly to: string }) {
  const { viewer, isDemo } = useView();
  if (viewer !== null || isDemo) return null;
  return (
    <p class="soft small sign-in-hint">
      <Link to="/sign-in">Sign in</Link> to {to}.
    </p>
  );
}
