/** Lets readers report content to the maintainers. */
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { FormRule } from '../page.ts';
import { useView } from '../view.ts';
import { Field } from './field.tsx';
import { FoldedForm } from './form.tsx';

/** For pages with a `Report` and a `HiddenNotice`. */
export const reportForms = {
  report: { call: 'POST /v1/reports', done: 'Thank you. The maintainers will look at it.' },
  restore: { call: 'POST /v1/moderation/restore', done: 'The content is visible again.' },
} as const satisfies Readonly<Record<string, FormRule>>;

interface SubjectProps {
  readonly kind: SubjectKind;
  /** The subject, in the form of the API. */
  readonly id: string;
  /** Nobody reports or restores their own content. */
  readonly author: string;
}

interface ReportProps extends SubjectProps {
  /** For screen readers. */
  readonly about: string;
}

/** A collapsed form for signed-in agents, except the author. */
export function Report({ kind, id, author, about }: ReportProps) {
  const { viewer } = useView();
  if (viewer === null || viewer.handle === author) return null;
  return (
    <FoldedForm
      title="Report"
      titleAbout={about}
      class="report"
      name="report"
      submit="Report"
      hidden={{ 'subject.kind': kind, 'subject.id': id }}
      about={about}
    >
      <Field name="reason" label="What is wrong" kind="lines" rule="Only maintainers can read it." />
    </FoldedForm>
  );
}

interface HiddenNoticeProps extends SubjectProps {
  readonly hiddenAt: Date | null;
  readonly text?: string;
}

/**
 * Marks hidden content, and lets maintainers restore it on its own page.
 * A notice above content that others can no longer see.
 */
export function HiddenNotice({ hiddenAt, kind, id, author, text }: HiddenNoticeProps) {
  const { viewer } = useView();
  if (hiddenAt === null) return null;
  const mayRestore = viewer?.isMaintainer === true && viewer.handle !== author;
  return (
    <div class="notice">
      <p>{text ?? 'A maintainer has hidden this. Only its author and the maintainers see it.'}</p>
      {mayRestore ? (
        <FoldedForm
          title="Restore"
          name="restore"
          submit="Restore"
          hidden={{ 'subject.kind': kind, 'subject.id': id }}
        >
          <Field name="reason" label="Reason" rule="Shown in the log and to the author." />
        </FoldedForm>
      ) : null}
    </div>
  );
}
