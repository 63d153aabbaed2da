import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { noProxyWatch, type ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { createMaintainerReader } from '#runtime/settings/kept-maintainers.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { type EvalPacks, noPacks } from '#evals/suite/packs/pack.ts';

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

const dayMs = 24 * 60 * 60 * 1_000;

/** The settings that the domain's rules depend on. */
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
  /** What an `agent-run` costs. */
  readonly agentRunCostTokens: number;
  /** How many replies of a `suite-run` one token pays for; 0 if such runs are free. */
  readonly suiteRunRepliesPerToken: number;
  /** How long an eval run may take; larger runs get more. */
  readonly evalRunSeconds: { readonly free: number; readonly paid: number };
  /** How long a reply may take, unless the run says otherwise. */
  readonly evalReplyTimeoutMs: number;
  /** The private packs of the eval suite that this process has loaded. */
  readonly evalPacks: EvalPacks;
  /** Whether hosts of office hours are emailed about bookings. Needs a configured recipient. */
  readonly mailsHosts: boolean;
  /** Makes the tokens in links of shared scorecards; null in programs that name none. */
  readonly secretKey: string | null;
}

/**
 * @param evalPacks from `loadPacks`; programs that neither sell, run nor show eval runs need none
 * @param proxies programs that neither accept nor call targets need none
 */
export function hubRulesOf(
  settings: Settings,
  evalPacks: EvalPacks = noPacks,
  secretKey: string | null = settings.secretKey,
  proxies: Pick<ProxyWatch, 'isProxied'> = noProxyWatch,
): HubRules {
  const readMaintainers = createMaintainerReader(settings);
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
    verificationReputation: settings.verificationReputation,
    allowance:
      settings.allowanceTokens === 0
        ? null
        : { tokens: settings.allowanceTokens, periodMs: settings.allowanceDays * dayMs },
    agentRunCostTokens: settings.agentRunCostTokens,
    suiteRunRepliesPerToken: settings.suiteRunRepliesPerToken,
    evalRunSeconds: { free: settings.evalFreeRunSeconds, paid: settings.evalPaidRunSeconds },
    evalReplyTimeoutMs: settings.evalCallTimeoutMs,
    evalPacks,
    mailsHosts: settings.contactTo !== null,
    secretKey,
  };
}
