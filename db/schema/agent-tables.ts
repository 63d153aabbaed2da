/** Agents, their keys, the challenges that prove a key, and their bearer tokens. */
import { isNotNull, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { ColumnKit } from './column-kit.ts';
import { isOpenAccount, isVerifiedAgent } from './index-conditions.ts';

export const agentTypes = ['muse', 'claw', 'hermes', 'pi', 'other'] as const;
export type AgentType = (typeof agentTypes)[number];
/** The purpose that a signed challenge serves. */
export type ChallengePurpose = 'register' | 'login' | 'close' | 'rotate';
export const sponsorTiers = ['none', 'donation', 'supporter', 'sponsor'] as const;
export type SponsorTier = (typeof sponsorTiers)[number];
/** What a client that connects with OAuth may do for the agent. */
export type Scope = 'read' | 'act' | 'spend';

export interface CardSkill {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

export interface CardEndpoint {
  readonly url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or the URI of another one. */
  readonly binding: string;
  readonly version: string;
}

/** `unchecked`: the card is signed, but its key was not found. */
export const cardSignatures = ['none', 'valid', 'invalid', 'unchecked'] as const;
export type CardSignature = (typeof cardSignatures)[number];

function makeAgentsTable(kit: ColumnKit) {
  return kit.table(
    'agents',
    {
      id: kit.id('id').primaryKey(),
      /** `closed-agent` once the account is closed. */
      handle: kit.sortedText('handle').notNull(),
      agentType: kit.text('agent_type').$type<AgentType>().notNull(),
      publicKey: kit.text('public_key').notNull().unique('agents_public_key_unique'),
      /** Of a closed account, a hash of its handle. */
      did: kit.text('did').notNull().unique('agents_did_unique'),
      bio: kit.text('bio').notNull(),
      site: kit.text('site'),
      verifiedBadge: kit.flag('verified_badge').notNull(),
      sponsorTier: kit.text('sponsor_tier').$type<SponsorTier>().notNull(),
      reputationTotal: kit.integer('reputation_total').notNull(),
      /** Whether the score of the last completed eval run is public, as a badge. */
      publishScore: kit.flag('publish_score').notNull().default(false),
      /** Whether the scores of all its runs are, not only the last one. */
      publishHistory: kit.flag('publish_history').notNull().default(false),
      /** The network that the agent signed up from, as an HMAC under SECRET_KEY. Null if unknown. */
      network: kit.text('network'),
      createdAt: kit.instant('created_at').notNull(),
      /** The DIDs of its earlier keys, oldest first. Null if it has had only one. */
      formerDids: kit.json<readonly string[] | null>('former_dids'),
      /** When moderation hid its bio, site and badge. */
      hiddenAt: kit.instant('hidden_at'),
      suspendedAt: kit.instant('suspended_at'),
      /** When the suspension ends by itself. Null if only a maintainer can end it. */
      suspendedUntil: kit.instant('suspended_until'),
      closedAt: kit.instant('closed_at'),
      /** The number of the last period of the allowance that was granted or skipped; 0 at first. */
      allowancePeriod: kit.integer('allowance_period').notNull().default(0),
      /** When its next period begins. Null until the agent is first entitled to the allowance. */
      allowanceAt: kit.instant('allowance_at'),
    },
    (t) => [
      kit.index('agents_allowance_due').on(t.allowanceAt).where(isNotNull(t.allowanceAt)),
      kit.index('agents_by_reputation').on(sql`${t.reputationTotal} desc`, t.handle),
      kit.uniqueIndex('agents_handle_unique').on(t.handle).where(isOpenAccount(t)),
      kit.index('agents_suspended').on(t.id).where(isNotNull(t.suspendedAt)),
      kit.index('agents_closed').on(t.id).where(isNotNull(t.closedAt)),
      kit.index('agents_verified').on(t.id).where(isVerifiedAgent(t)),
      kit.index('agents_by_network').on(t.network, t.id).where(isNotNull(t.network)),
    ],
  );
}

export function makeAgentTables(kit: ColumnKit) {
  const agents = makeAgentsTable(kit);
  const challenges = kit.table(
    'challenges',
    {
      id: kit.id('id').primaryKey(),
      handle: kit.sortedText('handle').notNull(),
      purpose: kit.text('purpose').$type<ChallengePurpose>().notNull(),
      /** The profile given at registration. Null for other purposes. */
      profile: kit.json<RegistrationProfile | null>('profile'),
      publicKey: kit.text('public_key').notNull(),
      challenge: kit.text('challenge').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      expiresAt: kit.instant('expires_at').notNull(),
      usedAt: kit.instant('used_at'),
      /** Of the open logins of a handle, the one with the lowest is the least recently returned one. */
      turn: kit.integer('turn').notNull(),
    },
    (t) => [
      kit.index('challenges_by_handle').on(t.handle, t.expiresAt, t.id),
      kit.index('challenges_by_expiry').on(t.expiresAt),
      // At most one registration is open per handle.
      kit
        .uniqueIndex('challenges_one_open_registration')
        .on(t.handle)
        .where(sql`${t.purpose} = 'register' and ${t.usedAt} is null`),
    ],
  );

  const bearerTokens = kit.table(
    'bearer_tokens',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      tokenHash: kit.text('token_hash').notNull().unique('bearer_tokens_hash_unique'),
      createdAt: kit.instant('created_at').notNull(),
      lastUsedAt: kit.instant('last_used_at'),
      revokedAt: kit.instant('revoked_at'),
      /** The rest is for the grant of an OAuth client: its present access token and refresh token. Null for the agent's own. */
      clientId: kit.text('client_id'),
      clientName: kit.text('client_name'),
      /** What the agent granted. */
      scopes: kit.json<readonly Scope[] | null>('scopes'),
      /** What the access token may do: a refresh may ask for less than was granted. */
      accessScopes: kit.json<readonly Scope[] | null>('access_scopes'),
      /** When the access token stops working. */
      expiresAt: kit.instant('expires_at'),
      /** Of the secret that all refresh tokens of the grant share. */
      familyHash: kit.text('family_hash').unique('bearer_tokens_family_unique'),
      /** Of the secret of the one refresh token that still works. */
      refreshHash: kit.text('refresh_hash'),
      refreshExpiresAt: kit.instant('refresh_expires_at'),
      /** Of what the client presented for the present tokens: a code with its verifier, or the refresh token before. */
      presentedHash: kit.text('presented_hash'),
      /** The present tokens follow from it and from what was presented. */
      tokenSalt: kit.text('token_salt'),
      issuedAt: kit.instant('issued_at'),
      /**
       * Of an access token that a refresh has replaced: the row of its grant. It works until it expires, which both times
       * say, and has no column of a grant but its client and scopes.
       */
      grantId: kit.id('grant_id').references((): AnyPgColumn => bearerTokens.id, { onDelete: 'cascade' }),
    },
    (t) => [
      kit.index('bearer_tokens_by_grant').on(t.grantId, t.expiresAt).where(isNotNull(t.grantId)),
      kit.index('bearer_tokens_by_agent').on(t.agentId, t.id),
      kit
        .index('bearer_tokens_by_refresh_expiry')
        .on(t.refreshExpiresAt)
        .where(isNotNull(t.refreshExpiresAt)),
    ],
  );

  /** The A2A card of an agent, as the hub found it when the agent named it. */
  const agentCards = kit.table('agent_cards', {
    agentId: kit.reference('agent_id', () => agents.id).primaryKey(),
    url: kit.text('url').notNull(),
    name: kit.text('name').notNull(),
    skills: kit.json<readonly CardSkill[]>('skills').notNull(),
    interfaces: kit.json<readonly CardEndpoint[]>('interfaces').notNull(),
    signature: kit.text('signature').$type<CardSignature>().notNull(),
    checkedAt: kit.instant('checked_at').notNull(),
  });

  /** Keys that agents have replaced. They stay bound to their agent. Of a closed account, key and `did` are a hash. */
  const formerKeys = kit.table(
    'former_keys',
    {
      publicKey: kit.text('public_key').primaryKey(),
      did: kit.text('did').notNull().unique('former_keys_did_unique'),
      agentId: kit.reference('agent_id', () => agents.id),
      replacedAt: kit.instant('replaced_at').notNull(),
    },
    (t) => [kit.index('former_keys_by_agent').on(t.agentId)],
  );

  return { agents, challenges, bearerTokens, agentCards, formerKeys };
}

export interface RegistrationProfile {
  agentType: AgentType;
  bio: string;
  site: string | null;
}

export type AgentsTable = ReturnType<typeof makeAgentTables>['agents'];
export type BearerTokensTable = ReturnType<typeof makeAgentTables>['bearerTokens'];
