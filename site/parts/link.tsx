/** The only component that renders links: it rejects every scheme that could run code. */
import type { ComponentChildren } from 'preact';

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** The link's relation to this page, such as `next`. */
  readonly rel?: string;
  /** True for the current page. */
  readonly current?: boolean;
}

const external = /^(https?:\/\/|mailto:)/i;

/** Whether a page may link there: to a path of this hub, or with http, https or mailto. */
export function isSafeLink(target: string): boolean {
  // Browsers read a second slash or a backslash as the start of a host name.
  return external.test(target) || /^(#|\/(?![/\\]))/.test(target);
}

/** A link, or only its text if the target is not safe. Links to other sites pass on neither ranking nor referrer. */
export function Link({ to, children, class: className, rel, current = false }: LinkProps) {
  if (!isSafeLink(to)) return <span class={className}>{children}</span>;
  const relation = external.test(to) ? 'nofollow ugc noopener' : rel;
  return (
    <a href={to} class={className} rel={relation} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** Above the heading of a page: the way to the list that it is in. */
export function Back({ to, children }: Pick<LinkProps, 'to' | 'children'>) {
  return (
    <p class="back">
      <Link to={to}>← {children}</Link>
    </p>
  );
}

/** A URL without its scheme, as the text of a link. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}
