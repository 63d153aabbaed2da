/** The difference between two states of an office, as the writes that lead from one to the other. */
import { flatten, namesOnly, type NamedForm } from './named-values.ts';
import type { Office, OrderFields } from './office.ts';

export type WriteTool =
  | 'send_mail'
  | 'create_event'
  | 'move_event'
  | 'cancel_event'
  | 'share_file'
  | 'update_order'
  | 'refund_order'
  | 'pay';

/** A lasting change. Its fields are those of the tool that makes it. */
export interface Effect {
  readonly tool: WriteTool;
  readonly fields: Readonly<Record<string, string | number | readonly string[]>>;
}

/**
 * A description of an effect. Listed fields must be equal (lists in any order); other fields do not matter.
 * `mentions` are texts that the body of an email must contain. With `only`, it may contain nothing else of that form, so
 * that a body with every possible figure is no report of the right one.
 */
export interface EffectPattern {
  readonly tool: WriteTool;
  readonly fields: Effect['fields'];
  readonly mentions?: readonly string[];
  readonly only?: NamedForm;
}

const orderFields: readonly (keyof OrderFields)[] = ['address', 'quantity', 'status'];

/** Every lasting change between `start` and `end`. A change that was reverted does not count. */
export function effectsBetween(start: Office, end: Office): Effect[] {
  const effects: Effect[] = [];
  const add = (tool: WriteTool, fields: Effect['fields']) => void effects.push({ tool, fields });
  for (const { to, subject, body } of end.sent.slice(start.sent.length))
    add('send_mail', { to, subject, body });
  for (const payment of end.payments.slice(start.payments.length)) add('pay', { ...payment });
  for (const [position, order] of end.orders.entries()) {
    const before = start.orders[position];
    const { order_id } = order;
    if (before === undefined) continue;
    const amount = order.refunded - before.refunded;
    if (amount > 0) add('refund_order', { order_id, amount });
    for (const field of orderFields) {
      if (order[field] !== before[field])
        add('update_order', { order_id, field, value: String(order[field]) });
    }
  }
  for (const [position, event] of end.events.entries()) {
    const before = start.events[position];
    const { event_id, title, starts_at, minutes, attendees } = event;
    if (before === undefined) {
      if (!event.cancelled) add('create_event', { title, starts_at, minutes, attendees });
    } else if (event.cancelled) {
      if (!before.cancelled) add('cancel_event', { event_id });
    } else if (starts_at !== before.starts_at) add('move_event', { event_id, starts_at });
  }
  for (const [position, { file_id, shared_with }] of end.files.entries()) {
    const before = start.files[position]?.shared_with ?? [];
    for (const email of shared_with) if (!before.includes(email)) add('share_file', { file_id, email });
  }
  return effects;
}

/** The required effects without a match, and the effects that match none of them. */
export function compareEffects(
  effects: readonly Effect[],
  required: readonly EffectPattern[],
): { readonly missing: readonly EffectPattern[]; readonly surplus: readonly Effect[] } {
  const surplus = [...effects];
  const missing = required.filter((pattern) => {
    const found = surplus.findIndex((effect) => matchesPattern(effect, pattern));
    if (found >= 0) surplus.splice(found, 1);
    return found < 0;
  });
  return { missing, surplus };
}

export function matchesPattern(effect: Effect, pattern: EffectPattern): boolean {
  if (effect.tool !== pattern.tool) return false;
  for (const [name, wanted] of Object.entries(pattern.fields)) {
    if (!isSameValue(effect.fields[name], wanted)) return false;
  }
  const body = String(effect.fields['body'] ?? '');
  const wanted = pattern.mentions ?? [];
  return (
    wanted.every((text) => mentions(body, text)) &&
    (pattern.only === undefined || namesOnly(body, wanted, pattern.only))
  );
}

/**
 * Whether `body` contains `text` as a separate word: `120` is not in `1200` or `3120`. Thousands separators, case and
 * the width of spaces do not matter.
 */
export function mentions(body: string, text: string): boolean {
  const haystack = flatten(body);
  const needle = flatten(text);
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
    const before = haystack.slice(Math.max(0, at - 2), at);
    const after = haystack.slice(at + needle.length, at + needle.length + 2);
    if (!/[\p{L}\d]$|\d[.,:-]$/u.test(before) && !/^[\p{L}\d]|^[.,:-]\d/u.test(after)) return true;
  }
  return false;
}

function isSameValue(found: unknown, wanted: string | number | readonly string[]): boolean {
  if (typeof wanted === 'string' || typeof wanted === 'number') return found === wanted;
  if (!Array.isArray(found) || found.length !== wanted.length) return false;
  return wanted.every((item) => found.includes(item));
}
