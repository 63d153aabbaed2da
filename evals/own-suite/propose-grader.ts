/** Proposes graders by what a reply looks like, for a person to choose from. */
import type { GraderSpec, SampleReply } from './document.ts';
import { isFields, isNumber, type Numeric } from './exact-json.ts';
import { type JsonValue, jsonOf } from './graders/read-json.ts';
import { withoutReasoning } from './graders/spoken.ts';

const shortTextMax = 60;
const similarCharactersMax = 2_000;
/** Levels of a schema that are proposed. */
const schemaDepthMax = 6;
const schemaCharactersMax = 20_000;

/**
 * The most likely one first; none for a reply that does not show what others must look like. The reply, if it is accepted,
 * passes all of them, and if it is refused, none.
 */
export function proposeGraders(reply: SampleReply, verdict: 'accepted' | 'refused'): readonly GraderSpec[] {
  const proposed = looksOf(typeof reply === 'string' ? { text: reply } : reply);
  // Other replies must differ from a refused one, but may look like it.
  return verdict === 'accepted'
    ? proposed.accepted
    : proposed.refused.map((spec) => ({ ...spec, not: true }));
}

interface Looks {
  readonly accepted: readonly GraderSpec[];
  readonly refused: readonly GraderSpec[];
}

function looksOf({ text: given = '', tool_calls: calls = [] }: Exclude<SampleReply, string>): Looks {
  const text = withoutReasoning(given) ?? '';
  if (calls.length > 0) {
    const exact = { tool_calls: calls };
    const named = { tool_calls: calls.map(({ name }) => ({ name })) };
    return { accepted: [exact, named], refused: [exact, named] };
  }
  const read = jsonOf(text);
  if ('value' in read && isFields(read.value)) {
    const schema = schemaOf(read.value, 0);
    const isShort = JSON.stringify(schema).length <= schemaCharactersMax;
    const same = { json: { at: '', equals: read.value } };
    return { accepted: [{ json: isShort ? { schema } : {} }, same], refused: [same] };
  }
  if ('value' in read && isNumber(read.value)) {
    const number = { number: read.value };
    return { accepted: [number], refused: [number] };
  }
  const said = text.trim();
  if (said === '') return { accepted: [], refused: [] };
  if (said.length <= shortTextMax) {
    const graders = [
      { equals: said, ignore: ['case'] },
      { contains: said, ignore: ['case'] },
    ];
    return { accepted: graders, refused: graders };
  }
  if (said.length > similarCharactersMax) return { accepted: [], refused: [] };
  const similar = (atLeast: number) => [{ similar: 'rouge-l', to: [said], at_least: atLeast }];
  return { accepted: similar(0.5), refused: similar(0.9) };
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
