/** Makes cases from records of data sets: the rows of a table, or a list of objects. */
import { CaseShape } from './document.ts';
import { type Fields, isFields, isNumber } from './exact-json.ts';
import { textsOf } from './import/imported.ts';

const fieldsOfCase = new Set(Object.keys(CaseShape.properties));
/** Other columns of a table are variables. */
const columnsOfCase = new Set(['id', 'title', 'prompt', 'tags']);

/** `expected` becomes a grader; what is no field of a case becomes a variable. */
export function caseOfRecord({ expected, ...fields }: Fields, isTable: boolean): Fields {
  const known = isTable ? columnsOfCase : fieldsOfCase;
  const own: Record<string, unknown> = {};
  const vars: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(fields)) {
    if (!known.has(name)) vars[name] = cell;
    else if (isTable && cell === '') continue;
    else if (name === 'tags' && typeof cell === 'string')
      own[name] = cell.split(';').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));
    else if (name === 'id' && isNumber(cell)) own[name] = textsOf(cell)?.[0];
    else own[name] = cell;
  }
  const right = rightTexts(expected);
  const grader = { read: 'answer', ignore: ['case', 'whitespace'] };
  const added =
    right === null
      ? []
      : [right.length === 1 ? { equals: right[0], ...grader } : { one_of: right, ...grader }];
  return {
    ...own,
    ...(Object.keys(vars).length === 0
      ? {}
      : { vars: { ...vars, ...(isFields(own['vars']) ? own['vars'] : {}) } }),
    ...(added.length === 0
      ? {}
      : { expect: [...added, ...(Array.isArray(own['expect']) ? (own['expect'] as unknown[]) : [])] }),
  };
}

/** The texts of a value of `expected`; null if it is no text, number, boolean or list of them. */
function rightTexts(expected: unknown): readonly string[] | null {
  const list: readonly unknown[] = Array.isArray(expected) ? expected : [expected];
  return textsOf(list.map((each) => (typeof each === 'boolean' ? String(each) : each)));
}

/** What is wrong with a record, such as `expected` that makes no grader; null if nothing is. */
export function faultOfRecord(fields: Fields): string | null {
  if (hasUnstorable(fields))
    return 'The record must not contain the character NUL or half of a surrogate pair.';
  const { expected } = fields;
  if (expected === undefined) {
    const other = Object.keys(fields).find((name) => name.trim().toLowerCase() === 'expected');
    return other === undefined
      ? null
      : `Rename \`${other}\` to \`expected\`, or map it: \`map: { expected: ${JSON.stringify(other)} }\`.`;
  }
  // A table has an empty cell where a record has no field.
  if (expected === '' || rightTexts(expected) !== null) return null;
  return '`expected` must be a text, a number, a boolean or a list of these, none of them empty. If nothing is expected, leave it out.';
}

/** Whether a text has NUL or half of a surrogate pair, which no store keeps. Escapes of JSON bring them in. */
function hasUnstorable(fields: Fields): boolean {
  let found = false;
  const look = (text: string) => {
    found ||= /[\0\p{Cs}]/u.test(text);
  };
  JSON.stringify(fields, (name, value: unknown) => {
    look(name);
    if (typeof value === 'string') look(value);
    return value;
  });
  return found;
}
