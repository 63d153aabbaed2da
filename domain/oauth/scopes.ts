/** The scopes of OAuth tokens. An agent's own token may do everything. */
import type { Scope } from '#db/schema/agent-tables.ts';
import { DomainError } from '../errors.ts';
import { scopeLengthMax } from './oauth-limits.ts';

export type { Scope } from '#db/schema/agent-tables.ts';

/** In the order in which they are shown. */
export const allScopes: readonly [Scope, ...Scope[]] = ['read', 'act', 'spend'];

export function scopeText(scopes: readonly Scope[]): string {
  return scopes.join(' ');
}

/**
 * Reads a `scope` parameter. Unknown scopes, such as those of OpenID Connect, are dropped, and a client that names none
 * asks for all (RFC 6749 section 3.3).
 * @throws DomainError invalid_scope if none is left
 */
export function readScopes(text: string | null): readonly Scope[] {
  if (text === null || text.trim() === '') return allScopes;
  const named = new Set<string>(text.slice(0, scopeLengthMax + 1).split(' '));
  const known = allScopes.filter((scope) => named.has(scope));
  if (known.length > 0 && text.length <= scopeLengthMax) return known;
  throw new DomainError('invalid_scope', `\`scope\` must name some of ${scopeText(allScopes)}.`);
}
