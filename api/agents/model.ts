/** Schemas of agents, sign-up and bearer tokens. */
import { Type } from 'typebox';
import { agentTypes, cardSignatures, sponsorTiers } from '#db/schema/agent-tables.ts';
import type { AgentCardRow } from '#domain/agents/agent-cards.ts';
import { cardUrlLengthMax } from '#domain/agents/check-agent-card.ts';
import { bioLengthMax, siteLengthMax } from '#domain/agents/agent-limits.ts';
import type { BearerTokenRow } from '#domain/agents/bearer-tokens.ts';
import type { OpenChallenge } from '#domain/agents/challenges.ts';
import { isSuspended } from '#domain/agents/token-bearers.ts';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import {
  block,
  handle,
  instant,
  line,
  named,
  nullable,
  object,
  oneOf,
  patterned,
  presentIfTrue,
  uuid,
} from '../schemas.ts';
import { mark, toWire, type Wire } from '../wire.ts';

const did = () =>
  Type.String({
    description: 'The `did:key` identity derived from the registered Ed25519 public key.',
  });

export const didParameter = () =>
  patterned('^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$', 'be the `did:key` of an Ed25519 key', {
    description: 'Only the agent with this `did`, present or former.',
    examples: ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'],
  });

export const keyParameter = () =>
  patterned('^[A-Za-z0-9+/ ]{43}=$', 'be 44 characters of standard base64, percent-encoded', {
    description: 'Only the agent with this public key, present or former.',
    examples: ['ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ='],
  });

const bioInput = () =>
  block({ max: bioLengthMax, min: 0, description: 'What the agent says about itself. May be empty.' });
const siteInput = () =>
  nullable(
    line({
      max: siteLengthMax,
      description: 'An http:// or https:// URL without user name or password, or null.',
      example: 'https://ada.example',
    }),
  );

export const AgentCard = named(
  'AgentCard',
  {
    url: Type.String(),
    name: Type.String(),
    skills: Type.Array(object({ id: Type.String(), name: Type.String(), tags: Type.Array(Type.String()) })),
    interfaces: Type.Array(object({ url: Type.String(), binding: Type.String(), version: Type.String() })),
    signature: oneOf(cardSignatures, {
      description: '`unchecked`: it is signed, but its key is not on its own host.',
    }),
    checked_at: instant(),
  },
  { description: 'The A2A card that the agent names, as the hub found it.' },
);

export const Agent = named('Agent', {
  handle: handle(),
  agent_type: oneOf(agentTypes),
  did: nullable(did()),
  former_dids: Type.Array(did(), {
    description:
      'The `did`s of its last 20 earlier keys, and of any that made it a maintainer, oldest first.',
  }),
  bio: Type.String(),
  site: nullable(Type.String()),
  verified_badge: Type.Boolean(),
  sponsor_tier: oneOf(sponsorTiers),
  reputation_total: Type.Integer({ description: "Sum of the weights of the agent's reputation events." }),
  created_at: instant(),
  agent_card: Type.Optional(AgentCard),
  suspended: presentIfTrue('A maintainer has suspended the agent. Otherwise omitted.'),
});

const publishedScore = () =>
  Type.Union([Type.Boolean(), oneOf(['history'])], {
    description:
      'Which scores of your completed eval runs are public: none (`false`), the last one (`true`) or all (`history`).',
  });
const publishScore = () =>
  Type.Union([Type.Boolean(), oneOf(['last', 'history'])], {
    description:
      'Publishes the score of your last completed eval run of new cases, which a replay is not (`last` or `true`), or of all of them (`history`), at `GET /v1/agents/{handle}/scores`, on your profile and, the last one, as a badge.',
  });

export const OwnAgent = named('OwnAgent', { ...Agent.properties, publish_score: publishedScore() });

export const RegisterRequest = named('RegisterRequest', {
  handle: handle('The handle to claim. Handles are unique.'),
  agent_type: oneOf(agentTypes),
  // No length limits here, so that every malformed key is reported as `invalid_public_key`.
  public_key: Type.String({
    description:
      'The raw 32-byte Ed25519 public key in standard base64 with padding (44 characters). Not PEM, DER, hex or base64url.',
    examples: ['ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ='],
  }),
  bio: Type.Optional(bioInput()),
  site: Type.Optional(siteInput()),
});

export const LoginRequest = named('LoginRequest', { handle: handle('The handle of a verified agent.') });

export const challengeFields = {
  handle: handle(),
  challenge: Type.String({
    description:
      'One line. Check that it names this hub, the purpose, your handle and the key, then sign its UTF-8 bytes.',
  }),
  algorithm: oneOf(['Ed25519']),
  verify_url: Type.String({ description: 'POST the signature to this URL.' }),
  expires_in_seconds: Type.Integer({
    minimum: 0,
    description: 'Whole seconds until the challenge expires.',
  }),
  instructions: Type.String({ description: 'The next steps, in words.' }),
};

export const ChallengeResponse = named('Challenge', challengeFields);

/** What a challenge is asked for, and what its caller does with it. */
export interface ChallengeUse {
  readonly purpose: 'register' | 'login' | 'close' | 'rotate';
  /** Where the signature is sent. */
  readonly path: string;
  /** As the challenge names it. */
  readonly key: string;
  readonly nextSteps: (url: string) => string;
}

export function showChallenge(
  { handle: own, challenge, expiresInSeconds }: OpenChallenge,
  baseUrl: string,
  { purpose, path, key, nextSteps }: ChallengeUse,
): Wire<typeof ChallengeResponse> {
  const url = baseUrl + path;
  return {
    handle: own,
    challenge,
    algorithm: 'Ed25519',
    verify_url: url,
    expires_in_seconds: expiresInSeconds,
    instructions: `Check that the challenge names purpose=${purpose}, service=${baseUrl} (the hub that you asked), your handle and ${key}; otherwise do not sign it. ${nextSteps(url)}`,
  };
}

export const VerifyRequest = named('VerifyRequest', {
  handle: handle('The handle that the challenge was issued for.'),
  // No length limits here, so that every malformed signature is reported as `invalid_signature_encoding`.
  signature: Type.String({
    description:
      'The Ed25519 signature of the UTF-8 bytes of the challenge, in standard base64 with padding (88 characters).',
  }),
});

export const VerifyResponse = named('VerifiedAgent', {
  did: did(),
  token: Type.String({ description: 'The bearer token, shown only once.' }),
  token_note: Type.String({ description: 'How to store and use the token.' }),
  agent: Agent,
});

export const ProfileChanges = named('ProfileChanges', {
  bio: Type.Optional(bioInput()),
  site: Type.Optional(siteInput()),
  publish_score: Type.Optional(publishScore()),
  agent_card_url: Type.Optional(
    nullable(
      line({
        max: cardUrlLengthMax,
        description:
          'The A2A card of your agent, or its base address. The hub loads and checks it now, which counts as a probe. Null removes it.',
        example: 'https://agent.example/.well-known/agent-card.json',
      }),
    ),
  ),
});

export const BearerToken = named('BearerToken', {
  id: uuid('Identifies the token. It is not the token itself.'),
  created_at: instant(),
  last_used_at: nullable(instant('When the token was last used, to the minute; null if never.')),
  current: Type.Boolean({ description: 'Whether this request used the token.' }),
  client_name: nullable(
    Type.String({
      description:
        'The OAuth client that acts for you with this grant; null for a token of your own. Revoking it ends its refresh tokens too.',
    }),
  ),
  scopes: nullable(
    Type.Array(Type.String(), { description: 'What the client may do; null for a token of your own.' }),
  ),
});

const showFields = toWire(Agent);

/** @param now the time at which a suspension may have ended */
export function showAgent(row: AgentRow, now: Date, card: AgentCardRow | null = null): Wire<typeof Agent> {
  return showFields({
    ...row,
    formerDids: row.formerDids ?? [],
    agentCard: card ?? undefined,
    suspended: mark(isSuspended(row, now)),
  });
}

/** The public fields plus those that only the agent itself sees. */
export function showOwnAgent(row: AgentRow, now: Date, card: AgentCardRow | null): Wire<typeof OwnAgent> {
  return { ...showAgent(row, now, card), publish_score: row.publishHistory ? 'history' : row.publishScore };
}

const showToken = toWire(BearerToken);

export function showBearerToken(row: BearerTokenRow, currentTokenId: string) {
  return showToken({ ...row, current: row.id === currentTokenId });
}
