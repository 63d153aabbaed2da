/**
 * Writes repeated parts of a document once, and leaves out what its introduction says: that requests are closed, and
 * how conditional reads work. A test compares both documents.
 */
import type { Json } from '../component-schemas.ts';
import { extendSchemas } from './extend-schemas.ts';
import { inlineSchemas } from './inline-schemas.ts';
import { openRequests } from './open-requests.ts';
import { shareErrors } from './share-errors.ts';
import { shareParameters } from './share-parameters.ts';
import { mapOperations, type Paths, shareResponses } from './share-responses.ts';
import { commonSecurity, shortenOperation } from './shorten-operation.ts';
import { shareTexts } from './share-texts.ts';
import { shareSchemas } from './share-schemas.ts';

export interface Document {
  readonly paths: Paths;
  readonly webhooks: Json;
  readonly components: Json & {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Json;
    readonly parameters: Json;
    readonly headers?: Json;
  };
  readonly [part: string]: unknown;
}

const errorBody = { $ref: '#/components/schemas/ApiError' };
export function shortenDocument(document: Document): Document {
  const { headers: _, ...components } = document.components;
  const withErrors = shareErrors(document.paths, errorBody);
  const withParameters = shareParameters(withErrors.paths, components.parameters);
  const withResponses = shareResponses(mapOperations(withParameters.paths, shortenOperation));
  const withTexts = shareTexts({
    paths: withResponses.paths,
    webhooks: document.webhooks,
    responses: { ...withErrors.responses, ...withResponses.responses },
    schemas: components.schemas,
  });
  const withSchemas = shareSchemas(withTexts);
  const inlined = inlineSchemas({ ...withSchemas, schemas: extendSchemas(withSchemas.schemas) });
  // Parts whose schemas had different names look the same only now.
  const { schemas, webhooks, ...again } = shareSchemas(openRequests(inlined));
  const { paths, responses } = shareResponses(again.paths, again.responses);
  return {
    ...document,
    security: commonSecurity,
    paths,
    webhooks,
    components: {
      ...components,
      schemas: sorted(schemas),
      responses,
      parameters: used(paths, withParameters.parameters),
    },
  };
}

/** Removes those that no operation refers to. */
function used(paths: Paths, parameters: Json): Json {
  const text = JSON.stringify(paths);
  const isUsed = (name: string): boolean => text.includes(`"#/components/parameters/${name}"`);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => isUsed(name)));
}

function sorted(schemas: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
