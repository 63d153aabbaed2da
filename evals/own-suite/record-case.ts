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
  const right = textsOf(expected);
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

/** Whether a text has NUL or half of a surrogate pair, which no store keeps. Escapes of JSON bring them in. */
export function hasUnstorable(fields: Fields): boolean {
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
