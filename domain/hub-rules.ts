import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { noProxyWatch, type ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import type { ChangeableSettings, CurrentSettings } from '#runtime/settings/changeable-settings.ts';
import { type Limits, limitsNow, type Settings } from '#runtime/settings/settings.ts';

/** The hub's name and description. */
export interface HubIdentity {
  readonly name: string;
  /** One or two sentences for people. */
  readonly description: string;
  /** Where people read its rules; null if nowhere. */
  readonly rulesUrl: string | null;
  /** Whether only this machine can reach the hub, so that every visitor is the operator. */
  readonly isPrivate: boolean;
}

export interface AllowanceRule {
  readonly tokens: number;
  readonly periodMs: number;
}

export interface RunLimits {
  readonly openRuns: number;
  readonly failedCallsPerDay: number;
}

export type StorageRule = Pick<Limits, 'agentMbPerDay' | 'networkMbPerDay'>;

const dayMs = 24 * 60 * 60 * 1_000;

/** The settings that the domain's rules depend on. Some change while the hub runs, so read them where they are needed. */
export interface HubRules {
  readonly identity: HubIdentity;
  /** Absolute, without a trailing slash. Every link starts with it. */
  readonly baseUrl: string;
  /** May change while the hub runs, so it is not kept. */
  readonly maintainerDids: ReadonlySet<string>;
  /** Which addresses agents may give as an eval target or webhook. */
  readonly targetAddresses: AddressPolicy;
  /** The reputation from which an agent may request verification. */
  readonly verificationReputation: number;
  /** The tokens that eligible agents receive regularly; null if none. */
  readonly allowance: AllowanceRule | null;
  /** The settings that may change while the hub runs, as they are now. */
  readonly settings: ChangeableSettings;
  /** How much an agent, and a network, may store within a day. 0: no limit. */
  readonly storage: StorageRule;
  /** What an `eval-run` costs; a long one costs twice as much. 0: free, as for `agent-run`. */
  readonly evalRunCostTokens: number;
  /** What an `agent-run` costs. */
  readonly agentRunCostTokens: number;
  /** How many replies of a `suite-run` one token pays for; 0 if such runs are free. */
  readonly suiteRunRepliesPerToken: number;
  /** The limits on the runs of one agent; 0 is none. */
  readonly runLimits: RunLimits;
  /** How long an eval run may take; larger runs get more. */
  readonly evalRunSeconds: { readonly free: number; readonly paid: number };
  /** How long a reply may take, unless the run says otherwise. */
  readonly evalReplyTimeoutMs: number;
  /** Whether hosts of office hours are emailed about bookings. Needs a configured recipient. */
  readonly mailsHosts: boolean;
  /** Makes the tokens in links of shared scorecards; null in programs that name none. */
  readonly secretKey: string | null;
}

export interface HubRulesOptions {
  readonly secretKey?: string | null;
  /** Programs that neither accept nor call targets need none. */
  readonly proxies?: Pick<ProxyWatch, 'isProxied'>;
  /** The settings as changed while the hub runs; programs that end soon need none. */
  readonly current?: () => CurrentSettings;
}

export function hubRulesOf(
  settings: Settings,
  { secretKey = settings.secretKey, proxies = noProxyWatch, current = () => settings }: HubRulesOptions = {},
): HubRules {
  const readMaintainers = createMaintainerReader(current);
  return {
    identity: {
      name: settings.hubName,
      description: settings.hubDescription,
      rulesUrl: settings.hubRulesUrl,
      isPrivate: !settings.isPublic,
    },
    baseUrl: settings.baseUrl,
    get maintainerDids() {
      return readMaintainers();
    },
    targetAddresses: createTargetPolicy(settings, proxies),
    get settings() {
      return current();
    },
    get verificationReputation() {
      return current().verificationReputation;
    },
    get allowance() {
      const { allowanceTokens: tokens, allowanceDays } = current();
      return tokens === 0 ? null : { tokens, periodMs: allowanceDays * dayMs };
    },
    get storage() {
      return limitsNow<Limits>(settings, proxies);
    },
    get evalRunCostTokens() {
      return current().evalRunCostTokens;
    },
    get agentRunCostTokens() {
      return current().agentRunCostTokens;
    },
    get suiteRunRepliesPerToken() {
      return current().suiteRunRepliesPerToken;
    },
    get runLimits() {
      const limits = limitsNow<Limits>(settings, proxies);
      return { openRuns: limits.openRunsPerAgent, failedCallsPerDay: limits.failedCallsPerDay };
    },
    evalRunSeconds: { free: settings.evalFreeRunSeconds, paid: settings.evalPaidRunSeconds },
    evalReplyTimeoutMs: settings.evalCallTimeoutMs,
    mailsHosts: settings.contactTo !== null || settings.mailFrom !== null,
    secretKey,
  };
}

/** The same rules, those that change while the hub runs included, with another `baseUrl`. */
export function withBaseUrl(rules: HubRules, baseUrl: string): HubRules {
  // The new object inherits the getters.
  return Object.create(rules, { baseUrl: { value: baseUrl, enumerable: true } }) as HubRules;
}

/** Makes a set only after a change, because every request reads it. */
function createMaintainerReader(current: () => CurrentSettings): () => ReadonlySet<string> {
  let known: readonly string[] = [];
  let dids: ReadonlySet<string> = new Set();
  return () => {
    const { maintainerDids } = current();
    if (maintainerDids !== known) {
      known = maintainerDids;
      dids = new Set(known);
    }
    return dids;
  };
}
