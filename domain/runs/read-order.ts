/** Reads the order of a redemption: its product, its target, and which items the run asks. */
import type { RunRow, TargetSettings } from '#db/schema/run-tables.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { encryptHeaders } from './encrypt-headers.ts';
import { findOwnRun, hasEnded } from './find-run.ts';
import type { Product, RunOrder, Sampling } from './product.ts';
import { findProduct, productNames } from './products.ts';
import {
  type CheckedTarget,
  orderFields,
  type RedemptionInput,
  type TargetInput,
} from './redemption-input.ts';

/**
 * @throws DomainError product_not_available, invalid_target_url, invalid_body, not_allowed, conflict, run_not_found,
 *   run_not_completed, and those of the product
 */
export async function readOrder(ctx: AgentCtx, input: RedemptionInput): Promise<RunOrder> {
  const product = findProduct(input.product);
  if (product === null) {
    throw new DomainError('product_not_available', '`product` is not a product of this hub.', {
      hint: `Available products: ${productNames.join(', ')}.`,
    });
  }
  refuseForeignFields(product, input);
  const replayed = await findReplayed(ctx, product, input);
  const sampling = readSampling(ctx, input, replayed);
  const checked = readTarget(ctx, input);
  const ordered = await product.orders.read(ctx, { ...input, checked, replayed });
  return {
    ...checked,
    product: product.name,
    ranked: input.ranked,
    trials: input.trials ?? 1,
    label: input.label ?? null,
    ...ordered,
    ...sampling,
  };
}

/** @throws DomainError invalid_body for a field of another product */
function refuseForeignFields(product: Product, input: RedemptionInput): void {
  const foreign = orderFields.filter(
    (name) => input[name] !== undefined && !product.orders.fields.includes(name),
  );
  if (foreign.length === 0) return;
  const named = quoted(foreign).join(' and ');
  const takers = productNames.filter((name) =>
    findProduct(name)?.orders.fields.includes(foreign[0] ?? 'suite'),
  );
  throw new DomainError('invalid_body', `An \`${product.name}\` does not take ${named}.`, {
    hint: `Leave out ${named}, or redeem ${quoted(takers).join(' or ')}.`,
  });
}

function quoted(names: readonly string[]): readonly string[] {
  return names.map((name) => `\`${name}\``);
}

/** A replay has those of the earlier run. */
const fixedByReplay = ['size', 'max_prompt_tokens', 'tasks'] as const;

/**
 * Finds the run that a redemption replays. A replay of a replay asks the items of the first run.
 *
 * @throws DomainError run_not_found, run_not_completed, conflict, invalid_body
 */
async function findReplayed(
  ctx: AgentCtx,
  product: Product,
  { replay_of: replayOf = null, seed = null, ranked, ...input }: RedemptionInput,
): Promise<RunRow | null> {
  if (replayOf === null) return null;
  const refused = [
    ...fixedByReplay.filter((name) => input[name] !== undefined),
    ...(seed === null ? [] : (['seed'] as const)),
    ...(ranked ? (['ranked'] as const) : []),
  ];
  if (refused.length > 0) {
    const named = quoted(refused).join(' and ');
    throw new DomainError('invalid_body', `\`replay_of\` cannot be combined with ${named}.`, {
      hint: 'A replay asks the items of the earlier run again, and never counts for the leaderboard.',
    });
  }
  const named = await findOwnRun(ctx, { runId: replayOf });
  const run = named.replayOf === null ? named : await findOwnRun(ctx, { runId: named.replayOf });
  requireSameProduct(product, run);
  if (!hasEnded(run)) {
    throw new DomainError(
      'run_not_completed',
      `Run ${run.id} is ${run.status}. Only ended runs can be replayed.`,
      {
        hint: `${operation('getRuns')} shows the \`status\` of each run.`,
      },
    );
  }
  return run;
}

function requireSameProduct(product: Product, run: RunRow): void {
  if (run.product !== product.name) {
    throw new DomainError(
      'conflict',
      `The product of run ${run.id} is \`${run.product}\`, not \`${product.name}\`.`,
      {
        hint: `Redeem \`${run.product}\` to replay it.`,
      },
    );
  }
  const { version } = product.cases;
  if (version === null || run.suiteVersion === version) return;
  throw new DomainError(
    'conflict',
    `Run ${run.id} used version ${run.suiteVersion} of its suite, which the hub no longer has.`,
    { hint: 'Redeem a new run, and replay that.' },
  );
}

/** @throws DomainError not_allowed, invalid_body */
function readSampling(ctx: AgentCtx, input: RedemptionInput, replayed: RunRow | null): Sampling {
  const { ranked, seed = null } = input;
  if (seed !== null) {
    if (!ctx.rules.identity.isPrivate) {
      throw new DomainError('not_allowed', 'Only private hubs accept `seed`.', {
        hint: 'Leave it out. To ask the items of an earlier run again, send `replay_of`.',
      });
    }
    if (ranked) {
      throw new DomainError('invalid_body', 'A ranked run cannot have a `seed`: its items would be known.', {
        hint: 'Leave out `seed` or `ranked`.',
      });
    }
  }
  return { seed: replayed?.suiteSeed ?? seed, replayOf: replayed?.id ?? null };
}

const defaults = { protocol: 'hub', model: null, concurrency: 4, timeout_s: null } as const;
/** The settings of a target given as `target_url`. */
export const plainTarget: TargetSettings = { ...defaults, header_names: [] };
const targetHeadersMax = 5;
const headerValueMax = 2_000;
/** The hub sets these itself, or they belong to the connection. */
const reservedHeaders =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|user-agent|idempotency-key|proxy-.*|content-.*)$/i;
/** RFC 9110, section 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\u0021-\u007e](?:[\u0020-\u007e\t]*[\u0021-\u007e])?$/;

/** @throws DomainError invalid_target_url, invalid_body */
function readTarget(ctx: Ctx, input: RedemptionInput): CheckedTarget {
  if (input.target !== null && input.targetUrl !== null) {
    throw new DomainError('invalid_body', 'Send `target` or `target_url`, not both.', {
      hint: '`target_url` is short for `target.url` with the defaults.',
    });
  }
  const plain = input.targetUrl === null ? null : { ...defaults, url: input.targetUrl, headers: {} };
  const target = input.target ?? plain;
  if (target === null) return { targetUrl: null, target: null, targetHeaders: null };
  checkTarget(ctx, target, input.target === null ? 'target_url' : 'target.url');
  const { url, headers, ...settings } = target;
  const names = Object.keys(headers);
  return {
    targetUrl: url,
    target: { ...settings, header_names: names.map((name) => name.toLowerCase()) },
    targetHeaders: names.length === 0 ? null : encryptHeaders(input.secretKey, headers),
  };
}

/**
 * @param field of the request that has the URL
 * @throws DomainError invalid_target_url, invalid_body
 */
export function checkTarget(ctx: Ctx, target: Pick<TargetInput, 'url' | 'headers'>, field: string): void {
  const parsed = parseTargetUrl(target.url, ctx.rules.targetAddresses);
  if (!parsed.ok) throw invalidTarget(`\`${field}\` cannot be used. ${parsed.message}`);
  checkHeaders(Object.entries(target.headers));
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
