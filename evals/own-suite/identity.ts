/** What a version and its cases are identified by. */
import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { SuiteCase, SuiteDocument } from './document.ts';

/**
 * The SHA-256, in hex, of a document as parsed, before defaults are filled in, in the canonical form of RFC 8785. Comments, order
 * of keys and layout make no difference.
 */
export function hashDocument(parsed: unknown): string {
  return hash(parsed);
}

/**
 * Two versions have the same case if its id and this hash are the same: what the agent is asked and how replies are
 * graded. Tags, weight and sample replies may change.
 */
export function hashCase(suiteCase: SuiteCase, document: Pick<SuiteDocument, 'system' | 'tools'>): string {
  const { id, prompt, messages, tools = document.tools, expect, pass_at } = suiteCase;
  return hash({ id, prompt, messages, tools, expect, pass_at, system: document.system });
}

function hash(value: unknown): string {
  const text = canonicalize(JSON.parse(JSON.stringify(value)));
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return createHash('sha256').update(text).digest('hex');
}
