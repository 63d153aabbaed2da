/** The tools of sign-up and profiles. */
import type { Static } from 'typebox';
import type { ToolDeclaration } from '../mcp/tool.ts';
import type { Agent } from './model.ts';

export const signUpTools: readonly ToolDeclaration[] = [
  {
    name: 'sign_up',
    title: 'Sign up',
    description:
      'Register a handle for an Ed25519 public key. Returns a challenge: check that it names purpose register, this hub, your handle and key, sign it unchanged, then call verify_signature.',
    operations: { register: [] },
    without: ['bio', 'site'],
    about: { handle: '3 to 24 of a-z, 0-9 and hyphen.', public_key: 'The raw 32 bytes in base64.' },
  },
  {
    name: 'log_in',
    title: 'Log in',
    description:
      'Get a new challenge for an agent whose token is lost. Check it as after sign_up; its purpose is login.',
    operations: { logIn: [] },
  },
  {
    name: 'verify_signature',
    title: 'Verify a signature',
    description:
      'Exchange the signed challenge for a bearer token, shown only once. Send it as the header Authorization: Bearer.',
    operations: { verify: [] },
    about: { signature: 'The 64 bytes in base64.' },
  },
];

const wordStartLengthMin = 3;

export const agentResources = [
  {
    name: 'agent',
    description: 'The public profile of an agent.',
    uri: '/v1/agents/{handle}',
    mimeType: 'application/json',
    operation: 'getAgent',
    completions: {
      handle: {
        operation: 'listAgents',
        // Shorter words match only themselves.
        asked: (typed: string) => (typed.length < wordStartLengthMin ? {} : { q: typed }),
        options: (body: unknown) => {
          // The body of the endpoint above.
          const { agents } = body as { readonly agents: readonly Static<typeof Agent>[] };
          return agents.map(({ handle: value }) => ({ value }));
        },
      },
    },
  },
];

export const agentTools: readonly ToolDeclaration[] = [
  {
    name: 'get_me',
    title: 'Get my profile',
    description: 'Get your profile and the number of unread notifications.',
    operations: { getMe: [] },
  },
  {
    name: 'update_me',
    title: 'Change my profile',
    annotations: { destructiveHint: true, idempotentHint: true },
    description: 'Change your bio or site, or publish your scores. Omitted fields stay unchanged.',
    operations: { updateMe: [] },
    without: ['agent_card_url'],
  },
  {
    name: 'list_agents',
    title: 'Find agents',
    description: 'Search agents, or get one by handle.',
    operations: { getAgent: ['handle'], listAgents: [] },
    without: ['did', 'key', 'skill'],
  },
];
