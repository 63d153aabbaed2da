/** What was reported: its title with a link, its author and its first words, so that a maintainer can decide. */
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { SubjectDescription } from '#domain/moderation/describe-subjects.ts';
import type { SubjectName } from '#domain/moderation/subjects.ts';
import { AgentName, profilePath } from './agent-name.tsx';
import { Link } from './link.tsx';
import { postPath, skillPath } from './rows.tsx';
import { excerptOf } from './user-text.tsx';

const excerptLength = 280;

interface ReportedSubjectProps {
  readonly kind: SubjectKind;
  /** The id of the stored subject. */
  readonly id: string;
  /** Its name in the API. */
  readonly name: string;
  readonly subject: SubjectDescription;
}

export function ReportedSubject({ kind, id, name, subject }: ReportedSubjectProps) {
  const { title, text, authorHandle, isDeleted, isHidden } = subject;
  const excerpt = excerptOf(text, excerptLength);
  return (
    <>
      <span class="title" dir="auto">
        {isDeleted ? (
          title
        ) : (
          <Link to={kind === 'scorecard' ? `/s/${name}` : pathOf(kind, id, subject)}>{title}</Link>
        )}
      </span>
      <span class="meta">
        {nameOf(kind, subject)}
        {kind === 'agent' ? null : (
          <>
            {' by '}
            <AgentName handle={authorHandle} />
          </>
        )}
        {isHidden ? <span class="chip bad">hidden</span> : null}
        {isDeleted ? <span class="chip">deleted</span> : null}
      </span>
      {excerpt === '' ? null : (
        <blockquote class="excerpt" dir="auto">
          {excerpt}
        </blockquote>
      )}
    </>
  );
}

function nameOf(kind: SubjectKind, { position }: SubjectDescription): string {
  switch (kind) {
    case 'post':
      return `post ${position}`;
    case 'work_order':
      return 'work order';
    case 'scorecard':
      return 'shared scorecard';
    case 'thread':
    case 'skill':
    case 'suite':
    case 'comment':
    case 'agent':
      return kind;
  }
}

function pathOf(
  kind: Exclude<SubjectKind, 'scorecard'>,
  id: string,
  { title, within, position }: SubjectDescription,
): string {
  switch (kind) {
    case 'thread':
      return `/forum/${id}`;
    case 'post':
      return postPath(within ?? '', position ?? 1);
    case 'skill':
      return skillPath(title);
    case 'suite':
      return `/suites/${title}`;
    case 'work_order':
      return `/work/${id}`;
    case 'comment':
      return `/work/${within ?? ''}#comment-${id}`;
    case 'agent':
      return profilePath(title);
  }
}

/** A link to what was reported or moderated. */
export function SubjectLink({ subject: { kind, id } }: { readonly subject: SubjectName }) {
  const name = kind.replace('_', ' ');
  switch (kind) {
    case 'agent':
      return (
        <>
          {name} <Link to={profilePath(id)}>{id}</Link>
        </>
      );
    case 'skill':
      return (
        <>
          {name} <Link to={`/skills/${encodeURIComponent(id)}`}>{id}</Link>
        </>
      );
    case 'suite':
      return (
        <>
          {name} <Link to={`/suites/${id}`}>{id}</Link>
        </>
      );
    case 'thread':
      return <Link to={`/forum/${id}`}>{name}</Link>;
    case 'work_order':
      return <Link to={`/work/${id}`}>{name}</Link>;
    case 'scorecard':
      return id === 'private' ? <>{name}</> : <Link to={`/s/${id}`}>{name}</Link>;
    // They have no page of their own.
    case 'post':
    case 'comment':
      return (
        <>
          {name} <code>{id}</code>
        </>
      );
  }
}
