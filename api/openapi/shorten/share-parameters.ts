/** Moves parameters that several operations have in common into the components. */
import type { Json } from '../component-schemas.ts';
import { mapOperations, type Paths } from './share-responses.ts';
import { freeName, pascalCase } from './names.ts';

export interface SharedParameters {
  readonly paths: Paths;
  readonly parameters: Json;
}

/** @param known the parameters that are shared already */
export function shareParameters(paths: Paths, known: Json): SharedParameters {
  const counts = new Map<string, number>();
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const parameter of parametersOf(operation)) {
      const text = JSON.stringify(parameter);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const parameters: Record<string, unknown> = { ...known };
  const names = new Map<string, string>();
  for (const [text, count] of counts) {
    // The form that `document.ts` makes.
    const parameter = JSON.parse(text) as { readonly $ref?: string; readonly name?: string };
    if (parameter.$ref !== undefined || count === 1) continue;
    const name = freeName(pascalCase(parameter.name ?? ''), (one) => one in parameters);
    parameters[name] = parameter;
    names.set(text, name);
  }
  const replace = (parameter: Json): Json => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  return {
    parameters,
    paths: mapOperations(paths, (operation) =>
      operation['parameters'] === undefined
        ? operation
        : { ...operation, parameters: parametersOf(operation).map(replace) },
    ),
  };
}

function parametersOf({ parameters = [] }: Json): readonly Json[] {
  const all = parameters as readonly Json[]; // A list of objects, if there is one.
  return all.map((parameter) => (parameter['in'] === 'path' ? withoutWords(parameter) : parameter));
}

/** The path says what the parameter is. */
function withoutWords(parameter: Json): Json {
  return Object.fromEntries(Object.entries(parameter).filter(([name]) => name !== 'description'));
}
