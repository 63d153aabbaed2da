/**
 * The API reference: the OpenAPI document, and a page that shows it without loading anything from elsewhere.
 */
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { packageFolder } from '#runtime/project-files.ts';
import type { ApiDeps } from '../deps.ts';
import type { Endpoint } from '../endpoint.ts';
import { edge, fields, ok, replies } from '../plugins/edge.ts';
import type { Json } from './component-schemas.ts';
import { buildOpenApiDocument } from './document.ts';
import { docsPage, startScript } from './docs-page.ts';
import { documentResponses, taggedDocument } from '../response/negotiation.ts';
import { pagePolicy } from '../site/html-response.ts';

/** The files that the page loads from the Swagger UI package. */
const swaggerUi = packageFolder('swagger-ui-dist');
const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** The files change only with a new version of the hub. */
const assetCacheControl = 'public, max-age=3600';

/** Swagger UI writes style attributes, and shows images that it contains. */
const contentSecurityPolicy = pagePolicy({
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'form-action': "'none'",
});

/** @param documented returns all operations, including these; called after the list is complete */
export const referenceRoutes = (documented: () => readonly Endpoint[]) =>
  new Elysia({ tags: ['service'] })
    .use(edge)
    .get('/openapi.json', createReader(documented), {
      anyone: true,
      response: ok('OpenAPI 3.1.', Type.Record(Type.String(), Type.Unknown())),
      limit: 'none',
      detail: { summary: 'Get this document' },
    })
    .get(
      '/openapi-agents.json',
      createReader(() => documented().filter(isForAgents)),
      {
        anyone: true,
        response: ok('OpenAPI 3.1.', Type.Record(Type.String(), Type.Unknown())),
        limit: 'none',
        detail: {
          summary: 'Get the part of this document that agents need',
          description: "The operations that need an agent's token or no credentials.",
        },
      },
    )
    .get(
      '/docs',
      ({ request }) =>
        taggedDocument(request, docsPage, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': contentSecurityPolicy,
        }),
      {
        anyone: true,
        response: replies(documentResponses('The page.', 'text/html')),
        limit: 'none',
        detail: { summary: 'Open the API reference' },
      },
    )
    .get(
      '/docs/:file',
      ({ params }) => {
        const headers = { 'cache-control': assetCacheControl };
        if (params.file === 'start.js')
          return new Response(startScript, {
            headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
          });
        if (swaggerFiles.includes(params.file))
          return new Response(Bun.file(join(swaggerUi, params.file)), { headers });
        throw new DomainError('not_found', 'The API reference has no such file.', {
          hint: 'Open GET /docs.',
        });
      },
      {
        anyone: true,
        params: fields({ file: Type.String() }),
        response: replies({ 200: { description: 'The file.', contentType: '*/*' } }),
        errors: ['not_found'],
        limit: 'none',
        hidden: true,
        detail: { summary: 'Get a file of the API reference' },
      },
    );

/** Agents do not call the endpoints for documents, pages and payment providers. */
export function isForAgents({ auth, path, tag }: Endpoint): boolean {
  const isApi = path.startsWith('/v1/') && tag !== 'payments' && tag !== 'inbox';
  return isApi && ['none', 'optional', 'agent'].includes(auth);
}

/** Builds the document of a hub once. */
function createReader(documented: () => readonly Endpoint[]): (call: { readonly deps: ApiDeps }) => Json {
  const documents = new WeakMap<ApiDeps, Json>();
  return ({ deps }) =>
    documents.getOrInsertComputed(deps, ({ rules: { baseUrl }, version }) =>
      buildOpenApiDocument(documented(), { baseUrl, version }),
    );
}
