/** A link to what was reported or moderated. */
import type { SubjectName } from '#domain/moderation/subjects.ts';
import { profilePath } from './agent-name.tsx';
import { Link } from './link.tsx';

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
