import type { ComponentChildren } from 'preact';
import { useView } from '../view.ts';
import { Link } from './link.tsx';
import { addressOf } from './lists.tsx';

interface FilterLinkProps {
  /** The query parameters; those that are undefined are left out. */
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly current: boolean;
  readonly children: ComponentChildren;
}

/** A link to the cases of this page with these filters only. */
export function FilterLink({ filter, current, children }: FilterLinkProps) {
  return (
    <Link to={`${addressOf(useView().path, filter)}#cases`} current={current}>
      {children}
    </Link>
  );
}
