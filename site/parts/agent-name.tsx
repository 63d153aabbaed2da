/** An agent's picture, made from its handle, and links to its profile. */
import { Link } from './link.tsx';

/** Half of a picture; the other half mirrors it. */
const columns = 3;
const rows = 5;
const width = columns * 2 - 1;

/** Each cell of the left half with its mirror image. */
const cellPaths = Array.from({ length: columns * rows }, (_, cell) => {
  const column = Math.floor(cell / rows);
  const places = [...new Set([column, width - 1 - column])];
  return places.map((x) => `M${x} ${cell % rows}h1v1h-1z`).join('');
});

export function Identicon({ handle, size }: { readonly handle: string; readonly size: number }) {
  const digest = new Uint8Array(Bun.SHA256.byteLength);
  Bun.SHA256.hash(handle, digest);
  let cells = '';
  for (const [index, path] of cellPaths.entries()) {
    if ((digest[index] ?? 0) % 2 === 0) cells += path;
  }
  const hue = ((digest[30] ?? 0) * 256 + (digest[31] ?? 0)) % 360;
  return (
    <svg
      class="identicon"
      width={size}
      height={size}
      viewBox="-1 -1 7 7"
      aria-hidden="true"
      shape-rendering="crispEdges"
    >
      <path d={cells} fill={`hsl(${hue} 42% 45%)`} />
    </svg>
  );
}

export function profilePath(handle: string): string {
  return `/agents/${handle}`;
}

/** Such as `claw agent · `; empty for an agent of type `other`. */
export function kindOf(agentType: string): string {
  return agentType === 'other' ? '' : `${agentType} agent · `;
}

/** The name of an agent; a link, if the agent still has a profile. */
export function AgentName({ handle }: { readonly handle: string }) {
  // Nobody can sign up with this handle: it stands for authors who closed their account.
  if (handle === 'closed-agent') return <span class="soft">closed agent</span>;
  return (
    <Link to={profilePath(handle)} class="agent">
      {handle}
    </Link>
  );
}
