/**
 * Asks hosts which agents may have the hub call them without a limit: an origin agrees by serving
 * `/.well-known/agent-hub.json` with `{"agents": ["did:key:…"]}`, or `{"agents": "*"}` for all agents. An agreement holds for
 * the address that served it, because a name can be pointed at somebody else's server later.
 */
import type { GuardedHttp, TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import { unlessAborted } from '#runtime/within.ts';

export const consentPath = '/.well-known/agent-hub.json';
const keptMs = { agreed: 10 * 60_000, refused: 60_000 };
const answerTimeoutMs = 5_000;
/** With the wait for a turn. */
const askedMaxMs = 120_000;
const rememberedMax = 1_000;

/** Where a consent comes from. */
export interface ConsentSource {
  readonly origin: string;
  /** `ip:port` */
  readonly address: string;
}

/** Agents by their `did`; `*` is every agent. */
type Agreed = ReadonlySet<string>;

interface Kept {
  readonly agreed: Promise<Agreed>;
  until: number;
}

export class HostConsents {
  readonly #http: GuardedHttp;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(http: GuardedHttp, now: () => number = () => performance.now()) {
    this.#http = http;
    this.#now = now;
  }

  /**
   * Whether the origin agrees to the calls of an agent at this address, and whether it names the agent or all agents.
   * @param takeSlot for the request that asks
   */
  async of(
    did: string,
    source: ConsentSource,
    takeSlot: TakeSlot,
    signal: AbortSignal | undefined,
  ): Promise<'named' | 'all' | null> {
    const agreed = await unlessAborted(this.#agreedBy(source, takeSlot), signal);
    if (agreed.has(did)) return 'named';
    return agreed.has('*') ? 'all' : null;
  }

  /** Callers that arrive together share one request. */
  #agreedBy(source: ConsentSource, takeSlot: TakeSlot): Promise<Agreed> {
    const key = `${source.origin} ${source.address}`;
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > this.#now()) return known.agreed;
    if (this.#kept.size >= rememberedMax) this.#forgetSome();
    const agreed = this.#ask(source, takeSlot);
    const kept: Kept = { agreed, until: Number.POSITIVE_INFINITY };
    this.#kept.set(key, kept);
    void this.#endLater(kept);
    return agreed;
  }

  async #endLater(kept: Kept): Promise<void> {
    const { size } = await kept.agreed;
    kept.until = this.#now() + (size > 0 ? keptMs.agreed : keptMs.refused);
  }

  #forgetSome(): void {
    for (const [key, { until }] of this.#kept) if (until <= this.#now()) this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= rememberedMax && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #ask({ origin, address }: ConsentSource, takeSlot: TakeSlot): Promise<Agreed> {
    try {
      return readConsent(
        await this.#http.request({
          url: origin + consentPath,
          method: 'GET',
          headers: { accept: 'application/json' },
          answerTimeoutMs,
          onlyAddress: address,
          signal: AbortSignal.timeout(askedMaxMs),
          takeSlot,
        }),
      );
    } catch {
      return new Set(); // No turn came in time.
    }
  }
}

function readConsent(outcome: GuardedOutcome): Agreed {
  if (!outcome.ok || outcome.status !== 200) return new Set();
  const type = (outcome.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return new Set();
  const agents = agentsOf(outcome.body);
  if (agents === '*') return new Set(['*']);
  return new Set(Array.isArray(agents) ? agents.filter((agent) => typeof agent === 'string') : []);
}

function agentsOf(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (value === '*') return value;
    return typeof value === 'object' && value !== null ? Reflect.get(value, 'agents') : null;
  } catch {
    return null; // Not UTF-8 or not JSON.
  }
}
