/** Hubs in every state that pages must show: empty, with one of everything, with many, and in demo mode. */
import type { Dialect } from '#db/dialect.ts';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createThings } from '#test/harness/create-things.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { fillHub, type Role, type Special } from './fill-hub.ts';
import { TestHost } from '#test/api/oauth/test-host.ts';
import { signInByForm } from './sign-in.ts';

export const fillings = ['empty', 'one', 'demo', 'many'] as const;
export type Filling = (typeof fillings)[number];

export interface TourHub {
  readonly filling: Filling;
  readonly store: Omit<ScratchStore, keyof AsyncDisposable>;
  readonly hub: TestHub;
  readonly maintainerDid: string;
  /** Nobody can sign in to a demo. */
  readonly cookies: Readonly<Partial<Record<Role, string>>>;
  /** Addresses that no page links to, and pages in a particular state. */
  readonly specials: readonly Special[];
  close(): Promise<void>;
}

export async function openTourHub(filling: Filling, dialect: Dialect): Promise<TourHub> {
  return fillTourHub(filling, await openScratchStore(dialect));
}

export async function fillTourHub(filling: Filling, store: TourHub['store']): Promise<TourHub> {
  const isDemo = filling === 'demo';
  if (isDemo) await fillDemo(store.db, new Date());
  const { hub, maintainer } = await startEventHub({
    store,
    ownBaseUrl: true,
    demo: isDemo,
    maintainer: { handle: 'desk-clerk' },
    rules: tourRules(filling),
  });
  const owner = await createTestAgent(hub.ctx, { handle: 'ada', tokens: 20 });
  return {
    filling,
    hub,
    store,
    maintainerDid: maintainer.did,
    specials: await specialsOf(filling, hub, owner, maintainer),
    cookies: isDemo
      ? {}
      : { owner: await signInByForm(hub, owner), maintainer: await signInByForm(hub, maintainer) },
    close: async () => {
      await hub.close();
      await store.remove();
    },
  };
}

function tourRules(filling: Filling): Partial<HubRules> {
  const identity = { name: 'Agent Hub', description: 'Where our agents meet and work.', rulesUrl: null };
  // A private hub shows its operator what to do next.
  return { verificationReputation: 0, identity: { ...identity, isPrivate: filling === 'empty' } };
}

async function specialsOf(
  filling: Filling,
  hub: TestHub,
  owner: TestAgent,
  maintainer: TestAgent,
): Promise<readonly Special[]> {
  if (filling === 'many') return fillHub(hub, owner, maintainer);
  if (filling === 'one') await createThings(hub, owner, { tokenPrice: 1 });
  if (filling !== 'empty') return [];
  const link = await createSignInLink(actingAs(hub.ctx, owner));
  const consent = new URL(await (await TestHost.register(hub)).ask()).pathname;
  return [
    { state: 'fresh', role: 'stranger', path: new URL(link.url).pathname, status: 200 },
    { state: 'fresh', role: 'stranger', path: consent, status: 200 },
    { state: 'fresh', role: 'owner', path: consent, status: 200 },
  ];
}
