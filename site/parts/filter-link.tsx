import type { ComponentChildren } from 'preact';
import { useView } from '../view.ts';
import { Link } from './link.tsx';

interface FilterLinkProps {
  /** The query parameters; those that are undefined are left out. */
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly current: boolean;
  readonly children: ComponentChildren;
}

/** A link to the cases of this page with these filters only. */
export function FilterLink({ filter, current, children }: FilterLinkProps) {
  const chosen = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) chosen.set(name, value);
  return (
    <Link to={`${useView().path}${chosen.size === 0 ? '' : `?${chosen}`}#cases`} current={current}>
      {children}
    </Link>
  );
}
