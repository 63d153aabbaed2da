/** Draws a valid request for an operation of the OpenAPI document, the same in every run. */
import fc from 'fast-check';
import { createKnownThings, type KnownThings } from '#test/fuzz/placeholders.ts';
import { queryPairs } from '#test/fuzz/requests.ts';
import { validValue } from '#test/fuzz/valid-values.ts';
import type { JsonSchema, Operation } from './operations.ts';

export interface ValidRequest {
  readonly path: string;
  /** Undefined if the operation takes none. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

const fixedSeed = 7;

/** Ids and handles for requests. `ids` are keyed by the first part of the path under `/v1`. */
export function thingsThatExist(handle: string, ids: Readonly<Record<string, string>>): KnownThings {
  const things = createKnownThings([handle]);
  for (const [resource, id] of Object.entries(ids)) things.learn({ id }, `/v1/${resource}`);
  return things;
}

export function validRequest(operation: Operation, things: KnownThings): ValidRequest {
  const { path } = operation;
  const template = templates.get(operation) ?? drawTemplate(operation);
  templates.set(operation, template);
  return {
    path: things.fillIn(template.path, path),
    // Every request body of the hub is an object.
    json: template.body === null ? undefined : JSON.parse(things.fillIn(template.body, path)),
  };
}

interface Template {
  readonly path: string;
  /** JSON. */
  readonly body: string | null;
}

/** Drawing costs about as much as a request, and gives the same values each time. */
const templates = new WeakMap<Operation, Template>();

function drawTemplate({ path, parameters, body }: Operation): Template {
  let filled = path;
  for (const parameter of parameters) {
    if (parameter.in !== 'path') continue;
    filled = filled.replace(
      `{${parameter.name}}`,
      encodeURIComponent(String(sample(parameter.schema, parameter.name))),
    );
  }
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema }) => queryPairs(name, sample(schema, name)))
    .join('&');
  return {
    path: filled + (query === '' ? '' : `?${query}`),
    body: body === null ? null : JSON.stringify(answered(sample(body, ''))),
  };
}

function sample(schema: JsonSchema, name: string): unknown {
  return fc.sample(validValue(schema, name), { seed: fixedSeed, numRuns: 1 })[0];
}

/** An answer has a text or an error, which its schema does not say. */
function answered(body: unknown): unknown {
  const answers: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'answers') : null;
  if (!Array.isArray(answers)) return body;
  const whole = answers.map(({ error: _error, ...answer }: Record<string, unknown>) => ({
    text: '42',
    ...answer,
  }));
  return Object.assign({}, body, { answers: whole });
}
