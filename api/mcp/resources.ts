/** The documents that an MCP host can attach, declared beside the endpoints that serve them. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { askedBaseUrl } from '../request/input.ts';
import { nearestName } from '#runtime/validation-messages.ts';
import { DomainError } from '#domain/errors.ts';
import { errorTable } from '../errors/error-table.ts';
import type { OperationNamed, Tool, ToolDeclaration } from './tool.ts';
import type { CallEndpoint, Carrier, Values } from './run-tool.ts';

export interface Resource {
  readonly name: string;
  readonly description: string;
  /** Follows the hub's base URL; `{handle}` stands for a path parameter of the operation. */
  readonly uri: string;
  readonly mimeType: string;
  /** By its id. */
  readonly operation: string;
  /** The name of a path parameter in the URI, as of a tool. */
  readonly names?: ToolDeclaration['names'];
  /** The path parameters that one in the URI stands for, separated by `/`. */
  readonly split?: Readonly<Record<string, readonly string[]>>;
  /** Where the values of a parameter in the URI come from. */
  readonly completions?: Readonly<Record<string, Completion>>;
  /** The text of a JSON response. */
  readonly text?: (body: unknown) => string;
}

/** Completes a value from a page of a list. */
export interface Completion {
  /** By its id. */
  readonly operation: string;
  /** What the list is asked for. */
  readonly asked?: (typed: string) => Readonly<Record<string, unknown>>;
  /** The values on the page, each with the words by which it is found besides the value itself. */
  readonly options: (body: unknown) => readonly { readonly value: string; readonly words?: string }[];
}

/** What an MCP server offers. */
export interface McpSurface {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly operationNamed: OperationNamed;
}

interface ReadResourceInput {
  readonly uri: string;
  readonly baseUrl: string;
  readonly surface: McpSurface;
  readonly callEndpoint: CallEndpoint;
  readonly carrier: Carrier;
}

export async function readResource(input: ReadResourceInput): Promise<ReadResourceResult> {
  const { uri, baseUrl, callEndpoint, carrier } = input;
  const { resources, operationNamed } = input.surface;
  const found = findResource(resources, baseUrl, uri);
  if (found === null) throw unknownResource(uri, baseUrl, resources);
  const { resource, parameters } = found;
  const { operation, names = {}, mimeType, text = textOf } = resource;
  const endpoint = operationNamed(operation);
  const params = Object.keys(endpoint.params?.properties ?? {}).map((name) => [
    name,
    parameters[names[name] ?? name],
  ]);
  const values = { ...nothing, params: Object.fromEntries(params) };
  const { body } = await callEndpoint(carrier, endpoint, values);
  return { contents: [{ uri, mimeType, text: text(body) }] };
}

/** The error of the protocol for a refused call; other errors unchanged. */
export function toProtocolError(error: unknown, uri: string): unknown {
  if (!(error instanceof DomainError)) return error;
  return errorTable[error.code].status === 404
    ? new ResourceNotFoundError(uri)
    : new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
}

const nothing: Values = { params: {}, query: {}, body: {}, key: null };

/** A document as it is, and JSON as text. */
function textOf(body: unknown): string {
  const isDocument = typeof body === 'object' && body !== null && 'text' in body;
  return isDocument ? String(body.text) : JSON.stringify(body);
}

/** The code of the specification, with the nearest address. */
function unknownResource(uri: string, baseUrl: string, resources: readonly Resource[]): ProtocolError {
  const known = resources.map((resource) => baseUrl + resource.uri);
  const nearest = nearestName(uri, known);
  const way = nearest === null ? `They are: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  const { code, data } = new ResourceNotFoundError(uri);
  return new ProtocolError(code, `There is no such resource. ${way}`, data);
}

/** Returns the resource with this URI, and the parameters in the URI. */
export function findResource(resources: readonly Resource[], baseUrl: string, uri: string) {
  const own = ownUri(baseUrl, uri);
  for (const resource of resources) {
    const parameters = matchUri(baseUrl + resource.uri, own, resource.split ?? {});
    if (parameters !== null) return { resource, parameters };
  }
  return null;
}

/** A URI with another name of this machine, with the name in BASE_URL. Any other is returned as it is. */
function ownUri(baseUrl: string, uri: string): string {
  const host = URL.parse(uri)?.host ?? '';
  const asked = askedBaseUrl(baseUrl, { headers: new Headers({ host }) });
  return uri.startsWith(`${asked}/`) ? baseUrl + uri.slice(asked.length) : uri;
}

/** Returns the parameters in the URI, or null if it does not have the form of the template. */
function matchUri(
  template: string,
  uri: string,
  split: NonNullable<Resource['split']>,
): Readonly<Record<string, string>> | null {
  const pattern = template
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? patternOf(part.slice(1, -1), split) : RegExp.escape(part)))
    .join('');
  const found = new RegExp(`^${pattern}$`).exec(uri);
  if (found === null) return null;
  const parameters: Record<string, string> = {};
  for (const [name, text] of Object.entries(found.groups ?? {})) {
    const value = decoded(text);
    const parts = split[name];
    if (parts === undefined) parameters[name] = value;
    else parts.forEach((part, index) => (parameters[part] = value.split('/')[index] ?? ''));
  }
  return parameters;
}

/** Templates encode the slash of a value; people do not. */
function patternOf(name: string, split: NonNullable<Resource['split']>): string {
  const more = '/[^/?#]+'.repeat((split[name]?.length ?? 1) - 1);
  return `(?<${name}>[^/?#]+${more === '' ? '' : `(?:${more})?`})`;
}

/** The endpoint refuses what is not encoded as it should be. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The most values that the protocol allows. */
const completionsMax = 100;

interface CompleteInput extends Omit<ReadResourceInput, 'uri'> {
  /** As the list of templates shows it. */
  readonly template: string;
  readonly argument: string;
  readonly typed: string;
}

/** Empty for what cannot be completed, and for a list that the caller may not see. */
export async function completeArgument(input: CompleteInput): Promise<readonly string[]> {
  const { surface, baseUrl, template, argument, typed, callEndpoint, carrier } = input;
  const own = ownUri(baseUrl, template);
  const completion = surface.resources.find(({ uri }) => baseUrl + uri === own)?.completions?.[argument];
  if (completion === undefined) return [];
  const { operation, asked, options } = completion;
  const values = { ...nothing, query: asked?.(typed) ?? {} };
  const answer = await callEndpoint(carrier, surface.operationNamed(operation), values).catch(
    (error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      return null;
    },
  );
  if (answer === null) return [];
  const looked = typed.toLowerCase();
  const fits = ({ value, words = '' }: { readonly value: string; readonly words?: string }): boolean =>
    value.startsWith(looked) || words.toLowerCase().includes(looked);
  return options(answer.body)
    .filter(fits)
    .map(({ value }) => value)
    .slice(0, completionsMax);
}
