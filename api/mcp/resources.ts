/** The documents that an MCP host can attach, declared beside the endpoints that serve them. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { nearestName } from '#runtime/validation-messages.ts';
import type { Endpoint } from '../endpoint.ts';
import type { CallEndpoint, Carrier, CountUnserved } from './call-endpoint.ts';

export interface Resource {
  readonly name: string;
  readonly description: string;
  /** Follows the hub's base URL; `{id}` stands for a path parameter of the endpoint. */
  readonly uri: string;
  readonly mimeType: string;
  readonly endpoint: Endpoint;
  /** The text of a JSON response. */
  readonly text?: (body: unknown) => string;
}

export interface ReadResourceInput {
  readonly uri: string;
  readonly baseUrl: string;
  readonly resources: readonly Resource[];
  readonly callEndpoint: CallEndpoint;
  readonly countUnserved: CountUnserved;
  readonly carrier: Carrier;
}

export async function readResource(input: ReadResourceInput): Promise<ReadResourceResult> {
  const { uri, baseUrl, resources, callEndpoint, carrier } = input;
  const found = findResource(resources, baseUrl, uri);
  if (found !== null) {
    const { resource, parameters } = found;
    const response = await callEndpoint(carrier, { endpoint: resource.endpoint }, parameters);
    const body = await response.text();
    if (response.status === 404) throw new ResourceNotFoundError(uri);
    if (!response.ok) {
      // Every error of the API has a message.
      const { message } = JSON.parse(body) as { readonly message: string };
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
    }
    const text = resource.text === undefined ? body : resource.text(JSON.parse(body));
    return { contents: [{ uri, mimeType: resource.mimeType, text }] };
  }
  const limited = await input.countUnserved(carrier);
  if (limited !== null) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, limited.message);
  throw unknownResource(uri, baseUrl, resources);
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
  for (const resource of resources) {
    const parameters = matchUri(baseUrl + resource.uri, uri);
    if (parameters !== null) return { resource, parameters };
  }
  return null;
}

/** Returns the parameters in the URI, or null if it does not have the form of the template. */
function matchUri(template: string, uri: string): Readonly<Record<string, string>> | null {
  const pattern = template
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? `(?<${part.slice(1, -1)}>[^/?#]+)` : RegExp.escape(part)))
    .join('');
  const found = new RegExp(`^${pattern}$`).exec(uri);
  return found === null ? null : (found.groups ?? {});
}
