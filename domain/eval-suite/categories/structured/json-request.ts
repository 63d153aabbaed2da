/** JSON as it stands in a prompt: indented, so that a schema reads well. */
import type { JsonValue } from '../../graders/read-json.ts';

export function showJson(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}

/** The sentence that says that form counts here. */
export const bareJsonRequest =
  'Reply with the JSON alone: no code fence, no comment and no other text before or after it.';
