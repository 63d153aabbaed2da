/** Checks the target of a run and encrypts its headers. */
import type { TargetSettings } from '#db/schema/run-tables.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { RedemptionInput, TargetInput } from './redemption-input.ts';
import { encryptHeaders } from './encrypt-headers.ts';

/** The settings of a target given as `target_url`. */
export const plainTarget: TargetSettings = {
  protocol: 'hub',
  model: null,
  concurrency: 4,
  timeout_s: null,
  header_names: [],
};
export const targetHeadersMax = 5;
const headerValueMax = 2_000;
/** The hub sets these itself, or they belong to the connection. */
const reservedHeaders =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|user-agent|idempotency-key|proxy-.*|content-.*)$/i;
/** RFC 9110, section 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\u0021-\u007e](?:[\u0020-\u007e\t]*[\u0021-\u007e])?$/;

export interface CheckedTarget {
  /** Null in pull mode. */
  readonly targetUrl: string | null;
  readonly target: TargetSettings | null;
  readonly targetHeaders: string | null;
}

/** @throws DomainError invalid_target_url, invalid_body */
export function readTarget(ctx: Ctx, input: RedemptionInput): CheckedTarget {
  if (input.target !== null && input.targetUrl !== null) {
    throw new DomainError('invalid_body', 'Send `target` or `target_url`, not both.', {
      hint: '`target_url` is short for `target.url` with the defaults.',
    });
  }
  const target = input.target ?? withDefaults(input.targetUrl);
  if (target === null) return { targetUrl: null, target: null, targetHeaders: null };
  checkTarget(ctx, target, input.target === null ? 'target_url' : 'target.url');
  const names = Object.keys(target.headers);
  return {
    targetUrl: target.url,
    target: {
      protocol: target.protocol,
      model: target.model,
      concurrency: target.concurrency,
      timeout_s: target.timeoutSeconds,
      header_names: names.map((name) => name.toLowerCase()),
    },
    targetHeaders: names.length === 0 ? null : encryptHeaders(input.secretKey, target.headers),
  };
}

/**
 * @param field of the request that has the URL
 * @throws DomainError invalid_target_url, invalid_body
 */
export function checkTarget(ctx: Ctx, target: TargetInput, field: string): void {
  const parsed = parseTargetUrl(target.url, ctx.rules.targetAddresses);
  if (!parsed.ok) throw invalidTarget(`\`${field}\` cannot be used. ${parsed.message}`);
  checkHeaders(Object.entries(target.headers));
}

function withDefaults(url: string | null): TargetInput | null {
  if (url === null) return null;
  return {
    url,
    protocol: 'hub',
    model: null,
    headers: {},
    concurrency: plainTarget.concurrency,
    timeoutSeconds: null,
  };
}

export function invalidTarget(message: string): DomainError {
  return new DomainError('invalid_target_url', message, {
    hint: 'Send the http(s) URL of a public endpoint that accepts POST {"prompt": "…"} and responds with {"text": "…"}, or `target` with another `protocol`.',
  });
}

function checkHeaders(headers: readonly (readonly [string, string])[]): void {
  const hint = `Send at most ${targetHeadersMax} headers, such as {"authorization": "Bearer …"}.`;
  const refuse = (rule: string) => new DomainError('invalid_body', `\`target.headers\` ${rule}`, { hint });
  if (headers.length > targetHeadersMax) throw refuse(`has ${headers.length} headers.`);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  if (names.size < headers.length) throw refuse('names a header twice.');
  for (const [name, value] of headers) {
    if (!headerName.test(name)) throw refuse('has a name that is not an HTTP header name.');
    if (reservedHeaders.test(name)) throw refuse(`must not set \`${name.toLowerCase()}\`.`);
    if (value.length > headerValueMax || !headerValue.test(value)) {
      throw refuse(
        `must give \`${name.toLowerCase()}\` a value of 1 to ${headerValueMax} printable ASCII characters.`,
      );
    }
  }
}

/** A run that may wait longer for each reply is never free. */
const freeTimeoutMaxSeconds = 60;

/** @returns why the first run of a product that calls targets is not free; null if it may be */
export function whyRankedOrSlow(ranked: boolean, target: TargetSettings | null): string | null {
  if (ranked) return 'a ranked run never is';
  const timeoutS = target?.timeout_s ?? 0;
  if (timeoutS <= freeTimeoutMaxSeconds) return null;
  return `a run with \`timeout_s\` above ${freeTimeoutMaxSeconds} never is (yours has ${timeoutS})`;
}
