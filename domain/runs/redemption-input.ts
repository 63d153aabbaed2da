/** The request of a caller of `redeem`, before validation. */
import type { ProtocolName } from '../targets/protocols.ts';

export interface RedemptionInput {
  readonly product: string;
  /** A short form of `target`. Without either, the agent fetches the cases itself. */
  readonly targetUrl: string | null;
  readonly target: TargetInput | null;
  readonly runSize: 40 | 120;
  readonly maxPromptTokens: 8_000 | 32_000 | 128_000;
  /** The options of an eval run that the caller set; other products refuse them. */
  readonly evalOptions?: readonly ('cases' | 'max_prompt_tokens')[];
  readonly ranked: boolean;
  /** Encrypts the target's headers. */
  readonly secretKey: string;
}

export interface TargetInput {
  readonly url: string;
  readonly protocol: ProtocolName;
  readonly model: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly timeoutSeconds: number | null;
}
