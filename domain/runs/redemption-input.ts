import type { TargetSettings } from '#db/schema/run-tables.ts';
import type { CheckSize } from '#evals/health/health-check.ts';
import type { TaskCount } from '#evals/week/week.ts';
import type { ProtocolName } from '../targets/protocols.ts';

/** Fields that not every product takes. */
export const orderFields = [
  'suite',
  'version',
  'trials',
  'only',
  'limit',
  'baseline',
  'share_replies',
  'tasks',
  'size',
  'max_prompt_tokens',
] as const;
/** The lengths that an order may choose from. */
export const promptTokens = [8_000, 32_000, 128_000] as const;
type PromptTokens = (typeof promptTokens)[number];
export const maxPromptTokensDefault = 8_000;

export type OrderField = (typeof orderFields)[number];

/** The request of a caller of `redeem`, before validation. */
export interface RedemptionInput {
  readonly product: string;
  /** A short form of `target`. Without either, the agent fetches the cases itself. */
  readonly targetUrl: string | null;
  readonly target: TargetInput | null;
  readonly ranked: boolean;
  /** Of a caller on a private hub that chooses the items. */
  readonly seed?: string | null | undefined;
  /** The run whose items are asked again. */
  readonly replay_of?: string | null | undefined;
  /** `@owner/name` */
  readonly suite?: string | undefined;
  /** The newest by default. */
  readonly version?: number | undefined;
  /** By default what the suite asks for, or 1. */
  readonly trials?: number | undefined;
  /** Which cases of the suite: as {@link CaseChoice} says. */
  readonly only?: string | undefined;
  readonly limit?: number | undefined;
  /** The run that `only` is about: `latest`, the default, `branch:LABEL` or an id. */
  readonly baseline?: string | undefined;
  readonly share_replies?: boolean | undefined;
  /** Of an eval run; `standard` by default. */
  readonly size?: CheckSize | undefined;
  /** Of an eval run: the length of the longest prompt. */
  readonly max_prompt_tokens?: PromptTokens | undefined;
  /** Of an agent run; 12 by default. */
  readonly tasks?: TaskCount | undefined;
  readonly label?: string | undefined;
  /** Encrypts the target's headers. */
  readonly secretKey: string;
}

export interface TargetInput extends Omit<TargetSettings, 'protocol' | 'header_names'> {
  readonly url: string;
  readonly protocol: ProtocolName;
  readonly headers: Readonly<Record<string, string>>;
}

/** A target as it is stored. */
export interface CheckedTarget {
  /** Null in pull mode. */
  readonly targetUrl: string | null;
  readonly target: TargetSettings | null;
  readonly targetHeaders: string | null;
}
