/** The frames of the owner's pages and of the desk: a list of sections next to the content. */
import type { ComponentChildren } from 'preact';
import { useView } from '../view.ts';
import { Link } from './link.tsx';

const sections = [
  ['/me', 'Overview'],
  ['/me/runs', 'Runs'],
  ['/me/tokens', 'Tokens'],
  ['/me/seats', 'Seats'],
  ['/me/notifications', 'Notifications'],
  ['/me/webhooks', 'Webhooks'],
  ['/me/sessions', 'Sessions'],
  ['/me/account', 'Account'],
] as const;

export function OwnerFrame({ children }: { readonly children: ComponentChildren }) {
  return (
    <Frame label="Your agent" sections={sections}>
      {children}
    </Frame>
  );
}

const deskSections = [
  ['/desk', 'Today'],
  ['/desk/reports', 'Reports'],
  ['/desk/moderation', 'Moderation'],
  ['/desk/agents', 'Agents'],
  ['/desk/verification', 'Verification'],
  ['/desk/tokens', 'Tokens'],
  ['/desk/supporters', 'Supporters'],
  ['/desk/events', 'Events'],
  ['/desk/inbox', 'Inbox'],
  ['/desk/settings', 'Settings'],
  ['/desk/audit', 'Audit'],
] as const;

export function DeskFrame({ children }: { readonly children: ComponentChildren }) {
  return (
    <Frame label="Desk" sections={deskSections}>
      {children}
    </Frame>
  );
}

interface FrameProps {
  readonly label: string;
  readonly sections: readonly (readonly [path: string, name: string])[];
  readonly children: ComponentChildren;
}

/** Sections next to the content, on a phone behind a menu; the first is the parent of the others. */
function Frame({ label, sections: listed, children }: FrameProps) {
  const { path } = useView();
  const root = listed[0]?.[0];
  const isCurrent = (to: string): boolean => path === to || (to !== root && path.startsWith(`${to}/`));
  return (
    <div class="side">
      <details class="menu">
        <summary>
          {label}: <b>{listed.find(([to]) => isCurrent(to))?.[1] ?? 'menu'}</b>
        </summary>
      </details>
      <nav aria-label={label}>
        {listed.map(([to, name]) => (
          <Link key={to} to={to} current={isCurrent(to)}>
            {name}
          </Link>
        ))}
      </nav>
      <div>{children}</div>
    </div>
  );
}
