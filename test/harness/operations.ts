/** The operations of the OpenAPI document, with references resolved. */
import type { OpenApiDocument } from './documented-answers.ts';

/** The subset of JSON Schema that describes requests. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** The credentials that an operation requires. */
export type Access = 'none' | 'agent' | 'maintainer' | 'operator' | 'inbox';

export interface Operation {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly access: Access;
  readonly parameters: readonly Parameter[];
  /** Null if it takes none. */
  readonly body: JsonSchema | null;
  readonly bodyRequired: boolean;
  /** Every documented error, as `404 thread_not_found`, and every other status. */
  readonly answers: readonly string[];
}

interface DescribedOperation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}

/** @param documented from `listDocumentedAnswers` */
export function listOperations(document: OpenApiDocument, documented: readonly string[]): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([key, described]) => {
      const method = key.toUpperCase();
      const prefix = `${method} ${path} `;
      const answers = documented
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length));
      // Another test checks that the document is valid OpenAPI.
      const { security, parameters, requestBody } = resolve(document, described) as DescribedOperation;
      return {
        method,
        path,
        access: accessOf(security, answers),
        parameters: parameters ?? [],
        body: requestBody?.content['application/json']?.schema ?? null,
        bodyRequired: requestBody?.required === true,
        answers,
      };
    }),
  );
}

function accessOf(security: DescribedOperation['security'], answers: readonly string[]): Access {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  // With an empty alternative, the credentials are optional.
  if (schemes.length < security.length || schemes.length === 0) return 'none';
  if (schemes.includes('operatorKey')) return 'operator';
  if (schemes.includes('inboxKey')) return 'inbox';
  return answers.includes('403 maintainer_only') ? 'maintainer' : 'agent';
}

/** Terminates because request schemas are not recursive. */
function resolve(document: OpenApiDocument, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => resolve(document, item));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolve(document, lookUp(document, String(node.$ref)));
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(document, value)]));
}

/** `#/components/schemas/Agent` */
function lookUp(document: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((node, name) => (node as Record<string, unknown>)[name], document);
}
