/** Proposes a grader by what a reply looks like, for a person to edit. */
import type { GraderSpec, SampleReply } from './document.ts';
import { isNumber, type Numeric } from './exact-json.ts';
import { isFields } from './import/imported.ts';
import { type JsonValue, jsonOf } from './graders/read-json.ts';

const shortTextMax = 60;
/** Levels of a schema that are proposed. */
const schemaDepthMax = 6;
const schemaCharactersMax = 20_000;

/** Null for a reply that says nothing of what others must be like. A refused reply is what others must not be. */
export function proposeGrader(reply: SampleReply, verdict: 'accepted' | 'refused'): GraderSpec | null {
  const { text = '', tool_calls: calls = [] } = typeof reply === 'string' ? { text: reply } : reply;
  if (calls.length > 0) return oriented({ tool_calls: calls }, verdict);
  const read = jsonOf(text);
  if ('value' in read && isFields(read.value)) {
    const schema = schemaOf(read.value, 0);
    const isShort = JSON.stringify(schema).length <= schemaCharactersMax;
    return verdict === 'accepted' ? { json: isShort ? { schema } : {} } : null;
  }
  if ('value' in read && isNumber(read.value)) return oriented({ number: read.value }, verdict);
  const short = text.trim();
  return short !== '' && short.length <= shortTextMax
    ? oriented({ equals: short, ignore: ['case'] }, verdict)
    : null;
}

function oriented(spec: GraderSpec, verdict: 'accepted' | 'refused'): GraderSpec {
  return verdict === 'accepted' ? spec : { ...spec, not: true };
}

function schemaOf(value: JsonValue | Numeric, depth: number): object {
  if (value === null) return {};
  if (isNumber(value)) return { type: 'number' };
  if (typeof value !== 'object') return { type: typeof value };
  if (Array.isArray(value)) {
    const kinds = new Map(
      depth >= schemaDepthMax
        ? []
        : value.map((each) => schemaOf(each, depth + 1)).map((each) => [JSON.stringify(each), each]),
    );
    const [items] = kinds.values();
    return { type: 'array', ...(items === undefined || kinds.size > 1 ? {} : { items }) };
  }
  if (depth >= schemaDepthMax) return { type: 'object' };
  const properties = Object.entries(value).map(
    ([name, inner]) => [name, schemaOf(inner, depth + 1)] as const,
  );
  return {
    type: 'object',
    required: properties.map(([name]) => name),
    properties: Object.fromEntries(properties),
  };
}
