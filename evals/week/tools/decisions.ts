/** Tools that record decisions on existing records, up to ten in one call. Each item has a result of its own. */
import { type TProperties, Type } from 'typebox';
import { manners } from '../dials.ts';
import { type Cell, idFields, type Row, type TableName, type Office } from '../office.ts';
import { declareTool, drawnFrom, failure, maybe, type Tool, type ToolResult, word } from './tool.ts';

const moneyMax = 10_000_000;

export const money = (description: string) => Type.Number({ minimum: 0, maximum: moneyMax, description });
export const difference = (description: string) =>
  Type.Number({ minimum: -moneyMax, maximum: moneyMax, description });
export const whole = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description });
export const oneOf = (values: readonly string[]) => Type.Enum([...values], { type: 'string' });
export const day = (description: string) => word(description, 10);
export const codeField = () => word('The booking code.', 12);
export const approval = () => maybe(word('The approval that this booking rests on, if it needs one.', 40));

interface DecisionTool {
  readonly name: string;
  readonly description: string;
  readonly table: TableName;
  /** The kind of records that it takes; any of the table by default. */
  readonly kind?: string;
  readonly fields: TProperties;
}

const versionNote =
  'Each item has a result of its own. `version` is the one that you read: if somebody has changed the record since, you get version_conflict.';

export function declareDecisions({ name, description, table, kind, fields }: DecisionTool): Tool {
  const id = idFields[table];
  const item = Type.Object(
    {
      [id]: Type.String({ minLength: 1, maxLength: 40 }),
      version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      ...fields,
    },
    { additionalProperties: false },
  );
  const items = Type.Array(item, {
    minItems: 1,
    maxItems: manners.writes,
    description: `Up to ${manners.writes} records.`,
  });
  return declareTool(
    { name, description: `${description} ${versionNote}`, writes: true },
    { items },
    ({ office }, args) => ({
      results: args.items.map((given) => {
        // The schema has checked the id, the version and the other fields.
        const { [id]: own, version, ...rest } = given as unknown as Record<string, Cell>;
        return { [id]: String(own), ...decideOne(office, table, kind, String(own), Number(version), rest) };
      }),
    }),
  );
}

function decideOne(
  office: Office,
  table: TableName,
  kind: string | undefined,
  id: string,
  version: number,
  fields: Row,
): ToolResult {
  const row = office.find(table, id);
  if (row === null) return failure('not_found', `There is no ${id}.`);
  if (kind !== undefined && row['kind'] !== kind)
    return failure('wrong_kind', `${id} is of the kind ${String(row['kind'])}; this takes ${kind}.`);
  if (row['version'] !== version) {
    return failure('version_conflict', `${id} has version ${String(row['version'])} by now. Read it again.`);
  }
  const luck = drawnFrom(`${office.seed}/${office.tick}/${id}`, 1_000);
  if (luck < manners.unavailableShare * 1_000)
    return failure('unavailable', 'Not done. Try this item again.', 1);
  return { status: 'done', version: Number(office.write(table, id, fields)['version']) };
}
