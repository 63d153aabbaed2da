/** Reads the parameters and the query of a page from a request. */
import { DomainError } from '#domain/errors.ts';
import { type Page, type PageAddress, parameterForms, type QueryRule } from '#site/page.ts';
import { requestTargetOf } from '../request/input.ts';

/** A longer path is not repeated in a hint. */
const namedPathMax = 200;

/** @throws DomainError not_found for a malformed parameter, invalid_parameter for a wrong query */
export function readPageAddress(
  page: Page,
  request: Request,
  raw: Readonly<Record<string, string>>,
): PageAddress {
  const { path, query: text } = requestTargetOf(request);
  for (const [name, form] of Object.entries(page.params)) {
    if (!parameterForms[form].test(raw[name] ?? '')) throw noSuchPage(path);
  }
  const given = new URLSearchParams(text);
  const query: Record<string, string | undefined> = {};
  for (const [name, rule] of Object.entries(page.query)) {
    const value = given.get(name);
    if (value === null || ((rule === 'search' || rule === 'id') && value.trim() === '')) continue;
    requireValue(name, rule, value);
    query[name] = value;
  }
  return { params: raw, query };
}

/** @returns the address of a suite whose owner was written without its `@`; null for all others */
export function addressMeant(
  { path, params }: Pick<Page, 'path' | 'params'>,
  { params: raw }: { readonly params: Readonly<Record<string, string>> },
): string | null {
  const values = Object.entries(params).map(([name, form]): readonly [string, string] => {
    const value = raw[name] ?? '';
    return [name, form === 'owner' && !value.startsWith('@') ? `@${value}` : value];
  });
  const isMeant = Object.entries(params).every(
    ([name, form], place) => parameterForms[form].test(values[place]?.[1] ?? '') && name in raw,
  );
  if (!isMeant || values.every(([name, value]) => value === raw[name])) return null;
  return values.reduce((address, [name, value]) => address.replace(`:${name}`, value), path);
}

/** @param path a path that may belong to the API, without its prefix */
export function noSuchPage(path?: string): DomainError {
  const isNamed = path !== undefined && path.length <= namedPathMax;
  const ofApi = !isNamed ? '' : ` Agents: did you mean /v1${path}? GET /skill.md explains the API.`;
  return new DomainError('not_found', 'There is no page at this address.', {
    hint: `Check the address, or start at the home page.${ofApi}`,
  });
}

/** The form of a parameter in a query, and what its refusal says. */
const formOf: Readonly<Record<Exclude<QueryRule, readonly string[]>, readonly [form: RegExp, rule: string]>> =
  {
    cursor: [/^[A-Za-z0-9_-]{1,300}$/, 'come from a link to the next page'],
    position: [/^[1-9]\d{0,8}$/, 'be the number of a post'],
    id: [parameterForms.id, 'be an id'],
    search: [/^[^\p{Cc}\p{Cs}]{0,200}$/u, 'be one line of at most 200 characters'],
  };

function requireValue(name: string, rule: QueryRule, value: string): void {
  const [isAllowed, what] =
    typeof rule === 'string'
      ? [formOf[rule][0].test(value), formOf[rule][1]]
      : [rule.includes(value), `be one of ${rule.join(', ')}`];
  if (!isAllowed) throw new DomainError('invalid_parameter', `\`${name}\` in the address must ${what}.`);
}
