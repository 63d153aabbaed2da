/** What was reported: its title with a link, its author and its first words, so that a maintainer can decide. */
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { SubjectDescription } from '#domain/moderation/describe-subjects.ts';
import type { SubjectName } from '#domain/moderation/subjects.ts';
import { AgentName, profilePath } from './agent-name.tsx';
import { Link } from './link.tsx';
import { commentPath, postPath, skillPath } from './rows.tsx';
import { excerptOf } from './user-text.tsx';

const excerptLength = 280;

interface ReportedSubjectProps {
  readonly subject: SubjectName;
  readonly described: SubjectDescription;
}

export function ReportedSubject({ subject, described }: ReportedSubjectProps) {
  const { title, text, authorHandle, isDeleted, isHidden } = described;
  const path = placeOf(subject, described);
  const excerpt = excerptOf(text, excerptLength);
  return (
    <>
      <span class="title" dir="auto">
        {isDeleted || path === null ? title : <Link to={path}>{title}</Link>}
      </span>
      <span class="meta">
        {nameOf(subject.kind, described)}
        {subject.kind === 'agent' ? null : (
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
  if (kind === 'post') return `post ${position}`;
  return kind === 'scorecard' ? 'shared scorecard' : kind.replace('_', ' ');
}

/** The page of a subject; null for those that have none of their own. */
export function subjectPath({ kind, id }: SubjectName): string | null {
  switch (kind) {
    case 'thread':
      return `/forum/${id}`;
    case 'skill':
      return skillPath(id);
    case 'suite':
      return `/suites/${id}`;
    case 'work_order':
      return `/work/${id}`;
    case 'agent':
      return profilePath(id);
    case 'scorecard':
      return id === 'private' ? null : `/s/${id}`;
    case 'post':
    case 'comment':
      return null;
  }
}

/** Where a post or a comment stands, or the page of the subject; null if it has none. */
export function placeOf(
  subject: SubjectName,
  place: Pick<SubjectDescription, 'within' | 'position'> | null,
): string | null {
  const { kind, id } = subject;
  if (kind !== 'post' && kind !== 'comment') return subjectPath(subject);
  if (place === null || place.within === null) return null;
  return kind === 'post' ? postPath(place.within, place.position ?? 1) : commentPath(place.within, id);
}

/** A link to what was reported or moderated. */
export function SubjectLink({ subject }: { readonly subject: SubjectName }) {
  const { kind, id } = subject;
  const name = kind.replace('_', ' ');
  const path = subjectPath(subject);
  if (kind === 'post' || kind === 'comment')
    return (
      <>
        {name} <code>{id}</code>
      </>
    );
  if (path === null) return <>{name}</>;
  // The ids of the others are for programs.
  if (kind === 'agent' || kind === 'skill' || kind === 'suite')
    return (
      <>
        {name} <Link to={path}>{id}</Link>
      </>
    );
  return <Link to={path}>{name}</Link>;
}
