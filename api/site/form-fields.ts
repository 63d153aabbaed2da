/** Turns form fields, which are all text, into the body of an endpoint. */
import type { TSchema } from 'typebox';

export type FormFields = Readonly<Record<string, string>>;

/** The fields of an `application/x-www-form-urlencoded` body. The values of a repeated field are joined by commas. */
export function parseFields(rawBody: Uint8Array): FormFields {
  const text = new TextDecoder().decode(rawBody);
  // Browsers send line breaks as CR LF.
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const line = value.replaceAll('\r\n', '\n');
    fields[name] = fields[name] === undefined ? line : `${fields[name]},${line}`;
  }
  return fields;
}

interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  /** The fields of an object with arbitrary names. */
  readonly patternProperties?: object;
  readonly required?: readonly string[];
  readonly type?: unknown;
  readonly format?: unknown;
  readonly minLength?: unknown;
  readonly minItems?: unknown;
  readonly anyOf?: readonly FieldSchema[];
}

/**
 * Takes only fields that the body has. An empty optional field counts as omitted, and an empty nullable one as null.
 * Fields of an object in the body have names such as `subject.kind`; an object without any field is omitted.
 */
export function bodyOf(schema: TSchema | undefined, fields: FormFields): unknown {
  // Bodies are objects; each property is a JSON schema.
  return schema === undefined ? null : objectOf(schema, fields, '');
}

/** @param prefix of the names of its fields */
function objectOf({ properties = {}, required = [] }: FieldSchema, fields: FormFields, prefix: string) {
  const body: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const shape = [property, ...(property.anyOf ?? [])].find(({ type }) => type === 'object');
    if (shape !== undefined) {
      const within = `${prefix}${name}.`;
      const inner =
        shape.properties === undefined ? recordOf(fields, within) : objectOf(shape, fields, within);
      if (Object.keys(inner).length > 0) body[name] = inner;
      continue;
    }
    const text = fields[prefix + name];
    if (text === undefined) continue;
    const types = typesOf(property);
    if (text === '' && types.includes('null')) body[name] = null;
    else if (text !== '' || required.includes(name) || isClearable(property))
      body[name] = valueOf(text, types, property);
  }
  return body;
}

/** An object with arbitrary names, such as headers, without empty values. */
function recordOf(fields: FormFields, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => name.startsWith(prefix) && value !== '')
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}

function typesOf({ type, anyOf = [] }: FieldSchema): readonly unknown[] {
  return [type, ...anyOf.map((branch) => branch.type)];
}

/** Texts and lists that may be empty, such as a bio, are sent empty. */
function isClearable(property: FieldSchema): boolean {
  return property.minLength === 0 || property.minItems === 0;
}

function valueOf(text: string, types: readonly unknown[], { format, anyOf = [] }: FieldSchema): unknown {
  if (types.includes('array')) return text === '' ? [] : text.split(',').map((item) => item.trim());
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  // Browsers' date and time fields have no time zone; the page says that it is UTC.
  const isInstant = [format, ...anyOf.map((branch) => branch.format)].includes('date-time');
  if (isInstant && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) {
    return text.length === 16 ? `${text}:00Z` : `${text}Z`;
  }
  return text;
}
