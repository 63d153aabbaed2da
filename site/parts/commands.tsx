import type { ComponentChildren } from 'preact';

interface CommandsProps {
  /** Who runs them, or what they do. */
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Commands to copy. */
export function Commands({ title, children }: CommandsProps) {
  return (
    <>
      <p class="label">{title}</p>
      <code class="command" tabIndex={0}>
        {children}
      </code>
    </>
  );
}
