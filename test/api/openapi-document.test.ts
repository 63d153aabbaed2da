import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Type } from 'typebox';
import { edge, replies } from '#api/plugins/edge.ts';
import { errorCodesOf, operationsOf } from '#api/plugins/operations.ts';
import { errorTable, publicCode } from '#api/errors/error-table.ts';
import { buildOpenApiDocument, describeEndpoints } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes.ts';
import { isForAgents } from '#api/openapi/routes.ts';
import { component, object } from '#api/schemas/object.ts';
import { notificationKinds } from '#domain/notifications/notification-kinds.ts';

/** The limits, in characters. */
const documentLengthMax = 271_000;
const documentForAgentsLengthMax = 210_000;

const options = { baseUrl: 'http://127.0.0.1:3000', version: '1.2.3' };

async function problemsOf(document: unknown): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Health checks have no errors, and the checkout only redirects.
    rules: { 'operation-4xx-response': 'off', 'operation-2xx-response': 'off' },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

// oxlint-disable-next-line typescript/no-explicit-any -- documents are inspected as untyped JSON
type Json = any;

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

const bodyOf = (part: Json): Json => part?.content?.['application/json']?.schema;

/** What a schema says about names, requirements and values, with all references resolved. */
function shapeOf(document: Json, schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return null;
  const { $ref, allOf, ...own } = schema;
  const parts = [
    ...($ref === undefined ? [] : [document.components.schemas[nameIn($ref)]]),
    ...(allOf ?? []),
  ].map((part) => shapeOf(document, part));
  const { properties, items, anyOf, required, additionalProperties, patternProperties, ...rest } = own;
  const values =
    typeof additionalProperties === 'object' ? additionalProperties : patternProperties?.['^.*$'];
  const merged = {
    ...Object.assign({}, ...parts),
    ...Object.fromEntries(
      meaningful.flatMap((keyword) => (keyword in rest ? [[keyword, rest[keyword]]] : [])),
    ),
    ...(items === undefined ? {} : { items: shapeOf(document, items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((branch: Json) => shapeOf(document, branch)) }),
    ...(values === undefined || Object.keys(values).length === 0
      ? {}
      : { values: shapeOf(document, values) }),
  };
  const named = Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, property]) => [name, shapeOf(document, property)]),
  );
  return {
    ...merged,
    required: new Set([...parts.flatMap((part) => [...part.required]), ...(required ?? [])]),
    properties: Object.assign({}, ...parts.map((part) => part.properties), named),
  };
}

const meaningful = ['enum', 'const', 'pattern', 'maxLength', 'minLength', 'format', 'default'];

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
    broken.paths['/v1/health'].get.responses['200'].content['application/json'].schema = {
      $ref: '#/nowhere',
    };
    expect(await problemsOf(broken)).toContainEqual(expect.stringMatching(/^no-unresolved-refs/));
  });

  test('lists every endpoint that is not hidden, with every response and every error by its status', () => {
    const common: string = document.components.responses.Error.description;
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
        const { $ref, description = '' } = operation.responses[status] ?? {};
        const shared = $ref === undefined ? '' : document.components.responses[nameIn($ref)].description;
        const listed = [description, shared].some((text) => text.includes(`\`${publicCode(code)}\``));
        const isCommon = common.includes(`${status} `) && common.includes(`\`${publicCode(code)}\``);
        expect([declared.path, code, listed || isCommon]).toEqual([declared.path, code, true]);
      }
    }
  });

  test('has the same parameters and responses as before it was shortened', () => {
    const whole = JSON.parse(JSON.stringify(describeEndpoints(hubEndpoints, options)));
    const short = document;
    let compared = 0;
    for (const [path, operations] of Object.entries<Json>(whole.paths)) {
      for (const [method, operation] of Object.entries<Json>(operations)) {
        const shortened = short.paths[path][method];
        expect(shortened.operationId).toBe(operation.operationId);
        expect(shapeOf(short, bodyOf(shortened.requestBody))).toEqual(
          shapeOf(whole, bodyOf(operation.requestBody)),
        );
        const parametersOf = (all: Json, { parameters = [] }: Json) =>
          parameters
            .map((one: Json) => (one.$ref === undefined ? one : all.components.parameters[nameIn(one.$ref)]))
            .filter(({ name }: Json) => name !== 'If-None-Match')
            .map(({ name, in: place, required = false, schema }: Json) => [
              name,
              place,
              required,
              shapeOf(all, schema),
            ]);
        expect(parametersOf(short, shortened)).toEqual(parametersOf(whole, operation));
        for (const [status, response] of Object.entries<Json>(operation.responses)) {
          if (!status.startsWith('2')) continue;
          const other = shortened.responses[status];
          const resolved = other.$ref === undefined ? other : short.components.responses[nameIn(other.$ref)];
          expect(shapeOf(short, bodyOf(resolved))).toEqual(shapeOf(whole, bodyOf(response)));
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(80);
  });

  test('is short, and the document for agents is shorter', async () => {
    const forAgents = buildOpenApiDocument(hubEndpoints.filter(isForAgents), options);
    console.log(`openapi ${JSON.stringify(document).length}, agents ${JSON.stringify(forAgents).length}`);
    expect(JSON.stringify(document).length).toBeLessThan(documentLengthMax);
    expect(JSON.stringify(forAgents).length).toBeLessThan(documentForAgentsLengthMax);
    expect(await problemsOf(forAgents)).toEqual([]);
  });

  test('describes what every webhook receives, whatever it asks for', () => {
    const kinds = [...notificationKinds, 'webhook.challenge', 'webhook.disabled'];
    expect(Object.keys(document.webhooks).toSorted()).toEqual(kinds.toSorted());
  });

  test('describes what webhooks receive', () => {
    const { schema } = document.webhooks['thread.reply'].post.requestBody.content['application/json'];
    const [envelope, own] = schema.allOf;
    expect(Object.keys(shapeOf(document, envelope).properties)).toEqual(['type', 'timestamp', 'data']);
    expect(Object.keys(shapeOf(document, own).properties.data.properties)).toEqual([
      'thread_id',
      'position',
      'author_handle',
    ]);
  });

  test('gives every operation a unique id', () => {
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('named schemas', () => {
  test('are defined once and referred to', () => {
    const item = component('Item', object({ id: Type.String() }));
    const document = JSON.parse(
      JSON.stringify(
        buildOpenApiDocument(
          [
            ...endpointsWith(object({ item })),
            ...endpointsWith(object({ items: Type.Array(item) }), '/more'),
          ],
          options,
        ),
      ),
    );
    expect(document.components.schemas.Item).toEqual({
      required: ['id'],
      properties: { id: { type: 'string' } },
    });
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
