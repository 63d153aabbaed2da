import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Type } from 'typebox';
import { edge, replies } from '#api/plugins/edge.ts';
import { errorCodesOf, operationsOf } from '#api/plugins/operations.ts';
import { errorTable, publicCode } from '#api/errors/error-table.ts';
import { buildOpenApiDocument } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes.ts';
import { isForAgents } from '#api/openapi/routes.ts';
import { component, object } from '#api/schemas.ts';
import { notificationKinds } from '#domain/notifications/notification-kinds.ts';

const options = { baseUrl: 'http://127.0.0.1:3000', version: '1.2.3' };

async function problemsOf(document: unknown): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Health checks have no errors, and the checkout only redirects.
    rules: { 'operation-4xx-response': 'off', 'operation-2xx-response': 'off' },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

function endpointsWith(schema: ReturnType<typeof object>, path = '/things') {
  return operationsOf(
    new Elysia({ tags: ['service'] }).use(edge).get(path, () => ({}), {
      anyone: true,
      response: replies({ 200: { description: 'Things.', schema } }),
      detail: { summary: 'Read things' },
    }),
  );
}

describe('the OpenAPI document of the hub', () => {
  // The document is inspected as untyped JSON.
  const document = JSON.parse(JSON.stringify(buildOpenApiDocument(hubEndpoints, options)));

  test('is valid according to an independent validator', async () => {
    expect(await problemsOf(document)).toEqual([]);
  });

  test('would fail validation if it were invalid', async () => {
    const broken = structuredClone(document);
    const health = broken.paths['/v1/health'].get.responses['200'].content['application/json'];
    health.schema = { $ref: '#/nowhere' };
    expect(await problemsOf(broken)).toContainEqual(expect.stringMatching(/^no-unresolved-refs/));
  });

  test('lists every endpoint that is not hidden, with every response and every error by its status', () => {
    for (const declared of hubEndpoints) {
      const path = document.paths[declared.path.replaceAll(/:(\w+)/g, '{$1}')];
      const operation = path?.[declared.method.toLowerCase()];
      if (declared.hidden === true) {
        expect(operation).toBeUndefined();
        continue;
      }
      for (const status of Object.keys(declared.responses))
        expect(operation.responses).toHaveProperty(status);
      for (const code of errorCodesOf(declared)) {
        const { status } = errorTable[code];
        const [, { properties }] = operation.responses[status].content['application/json'].schema.allOf;
        expect(properties.error.enum).toContain(publicCode(code));
      }
    }
  });

  test('has a part for agents, which is valid too', async () => {
    const forAgents = buildOpenApiDocument(hubEndpoints.filter(isForAgents), options);
    expect(await problemsOf(forAgents)).toEqual([]);
  });

  test('describes what webhooks receive, of every kind', () => {
    const kinds = [...notificationKinds, 'webhook.challenge'];
    expect(Object.keys(document.webhooks).toSorted()).toEqual(kinds.toSorted());
    const { schema } = document.webhooks['thread.reply'].post.requestBody.content['application/json'];
    const [envelope, own] = schema.allOf;
    expect(envelope).toEqual({ $ref: '#/components/schemas/Delivery' });
    expect(Object.keys(own.properties.data.properties)).toEqual(['thread_id', 'position', 'author_handle']);
  });
});

describe('named schemas', () => {
  test('are defined once and referred to', () => {
    const item = component('Item', object({ id: Type.String() }));
    const endpoints = [
      ...endpointsWith(object({ item })),
      ...endpointsWith(object({ items: Type.Array(item) }), '/more'),
    ];
    const document = JSON.parse(JSON.stringify(buildOpenApiDocument(endpoints, options)));
    const properties = { id: { type: 'string' } };
    expect(document.components.schemas.Item).toEqual({ type: 'object', required: ['id'], properties });
    const { schema } = document.paths['/more'].get.responses['200'].content['application/json'];
    expect(schema.properties.items.items).toEqual({ $ref: '#/components/schemas/Item' });
  });

  test('must not name two different schemas', () => {
    const endpoints = [
      ...endpointsWith(component('Item', object({ id: Type.String() }))),
      ...endpointsWith(component('Item', object({ id: Type.Integer() })), '/more'),
    ];
    expect(() => buildOpenApiDocument(endpoints, options)).toThrow('All schemas named Item are equal');
  });
});
